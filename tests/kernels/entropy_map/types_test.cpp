// SPDX-License-Identifier: Apache-2.0
// Maps of every element type against the reference, to the bit: whole ranges and given ones, strides and
// offsets that no type is aligned for, NaN and infinities of each width.
#include "tests/kernels/entropy_map/util.h"

namespace tegu::testing_support {
namespace {

constexpr ElementType kTypes[] = {
#define TEGU_X(number, Name, word, type) ElementType::Name,
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
};

double random_value(std::mt19937_64& random, Half) {
    const float value = std::uniform_real_distribution<float>(-3, 5)(random);
    return static_cast<double>(half_to_float(float_to_half(value)));
}
template <class T>
double random_value(std::mt19937_64& random, T) {
    if constexpr (std::is_floating_point<T>::value)
        return static_cast<double>(std::uniform_real_distribution<T>(-3, 5)(random));
    // Every value of the type; of 64 bits those that an f64 holds (levels_test has the others).
    const std::uint64_t bits = random() & (sizeof(T) == 8 ? ~std::uint64_t{0x7ff} : ~std::uint64_t{0});
    return static_cast<double>(static_cast<T>(bits));
}

Image random_image(ElementType type, std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
    std::mt19937_64 random(seed);
    return visit_element_type(type, [&](auto t) {
        return make_image(rows, cols, [&](std::int64_t, std::int64_t) { return random_value(random, t); });
    });
}

TEST(EntropyMap, WholeRangeOfEveryType) {
    for (const ElementType type : kTypes) {
        const Image image = random_image(type, 12, 83, 40);
        for (const std::uint32_t levels : {2u, 16u, 77u, 256u}) {
            ASSERT_NO_FATAL_FAILURE(check(image, type, params_of(5, 5, levels)));
            ASSERT_NO_FATAL_FAILURE(
                check(image, type, params_of(3, 17, levels, Border::Mirror, LogBase::E), 3, 1));
        }
    }
}

TEST(EntropyMap, RangesOfEveryType) {
    for (const ElementType type : kTypes) {
        const Image image = random_image(type, 9, 70, 41);
        const double spread =
            is_float(type) ? 1 : std::ldexp(1.0, static_cast<int>(8 * element_bytes(type)) - 2);
        const double lo = is_signed_integer(type) || is_float(type) ? -spread + 0.3 : spread * 0.5;
        ASSERT_NO_FATAL_FAILURE(check(image, type, with_range(params_of(5, 7, 16), lo, 1.5 * spread)));
        ASSERT_NO_FATAL_FAILURE(check(
            image, type, with_range(params_of(15, 15, 100), lo, lo + std::max(3.0, spread / 1024)), 1, 7));
    }
}

TEST(EntropyMap, NansAndInfinitiesOfEveryWidth) {
    for (const ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64}) {
        Image image = random_image(type, 20, 140, 42);
        image.pixels[5 * 140 + 3] = image.pixels[11 * 140 + 139] = image.pixels[19 * 140 + 64] = double(kNan);
        image.pixels[5 * 140 + 90] = image.pixels[15 * 140 + 70] = double(kInfinity);
        image.pixels[2 * 140 + 20] = -double(kInfinity);
        for (const Border border : {Border::Clip, Border::Mirror}) {
            ASSERT_NO_FATAL_FAILURE(check(image, type, params_of(5, 5, 16, border)));
            ASSERT_NO_FATAL_FAILURE(
                check(image, type, with_range(params_of(21, 9, 200, border), -1, 2), 2, 5));
        }
        for (double& pixel : image.pixels) pixel = double(kNan);
        ASSERT_NO_FATAL_FAILURE(check(image, type, params_of(5, 5, 16)));
    }
}

// f64 pixels that f32 cannot hold, or cannot tell apart.
TEST(EntropyMap, DoublesBeyondF32) {
    Image image = random_image(ElementType::F64, 10, 66, 43);
    for (double& pixel : image.pixels) pixel += 1e12;
    ASSERT_NO_FATAL_FAILURE(check(image, ElementType::F64, params_of(5, 5, 16)));
    image.pixels[7] = 1e300;
    image.pixels[99] = -1e300;
    ASSERT_NO_FATAL_FAILURE(
        check(image, ElementType::F64, with_range(params_of(5, 5, 16), 1e12 - 3, 1e12 + 5)));
}

}  // namespace
}  // namespace tegu::testing_support
