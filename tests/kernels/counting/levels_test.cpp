// SPDX-License-Identifier: Apache-2.0
// The levels of every type against the reference: whole ranges and given ones, edges and their neighbours,
// values that only 64 bits can hold, infinities and NaN, any alignment and length, bytes and words; and the
// ranges found in float data.
#include "kernels/counting/cpu/levels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/kernels/counting/levels_reference.h"

namespace tegu::testing_support {
namespace {

using namespace kernels;

constexpr std::uint32_t kSeed = 30;
constexpr double kInf = std::numeric_limits<double>::infinity(),
                 kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
T bits_as(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);  // little-endian: the lower bytes
    return value;
}

Half as_type(double value, Half) {
    return float_to_half(static_cast<float>(value));
}
template <class T>
T as_type(double value, T) {
    if constexpr (std::is_integral<T>::value) {
        if (!(value > static_cast<double>(std::numeric_limits<T>::min())))
            return std::numeric_limits<T>::min();
        if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    }
    return static_cast<T>(value);
}

// Every kind of value: random bits (for floats NaN and subnormals among them), the limits, and the
// neighbourhood of the edges.
template <class T>
std::vector<T> values_for(const LevelRule& rule) {
    std::mt19937_64 random(kSeed);
    std::vector<T> values;
    for (int i = 0; i < 500; ++i) values.push_back(bits_as<T>(random()));
    for (const double limit : {0.0, -0.0, 1.0, -1.0, 1e-40, 1e30, -1e30, 1e300, -1e300, kInf, -kInf, kNan})
        if (!(std::is_integral<T>::value && std::isnan(limit))) values.push_back(as_type(limit, T()));
    if (!rule.has_range) return values;
    const double width = (rule.hi - rule.lo) / rule.levels;
    std::uniform_real_distribution<double> inside(rule.lo - 2 * width, rule.hi + 2 * width);
    for (int i = 0; i < 500; ++i) values.push_back(as_type(inside(random), T()));
    for (int level = -1; level <= 40; ++level) {
        const double edge = rule.lo + std::min<double>(level, rule.levels + 1) * width;
        for (const double value :
             {edge - 1, std::nextafter(edge, -kInf), edge, std::nextafter(edge, kInf), edge + 1,
              double(std::nextafter(float(edge), -kInf)), double(std::nextafter(float(edge), kInf))})
            values.push_back(as_type(value, T()));
    }
    return values;
}

template <class T, class Level, class Quantise>
void compare(const std::vector<T>& values, const LevelRule& rule, const LevelScale& scale, Quantise quantise,
             std::size_t offset, std::size_t n) {
    std::vector<std::byte> bytes(offset + n * sizeof(T));
    for (std::size_t i = 0; i < n; ++i)
        std::memcpy(bytes.data() + offset + i * sizeof(T), &values[i], sizeof(T));
    std::vector<Level> found(n + 8, Level{0x5a});
    const std::size_t nans = quantise(bytes.data() + offset, n, scale, found.data());
    std::size_t wanted_nans = 0;
    for (std::size_t i = 0; i < n; ++i) {
        wanted_nans += std::isnan(as_double(values[i]));
        ASSERT_EQ(found[i], reference_level(values[i], rule))
            << element_word(ElementTypeOf<T>::value) << " " << as_double(values[i]) << " levels "
            << rule.levels << " range "
            << (rule.has_range ? std::to_string(rule.lo) + ".." + std::to_string(rule.hi) : "none")
            << " seed " << kSeed;
    }
    EXPECT_EQ(nans, wanted_nans);
    for (std::size_t i = n; i < found.size(); ++i) ASSERT_EQ(found[i], 0x5a) << "written behind the end";
}

template <class T>
void check_rule(const LevelRule& rule) {
    const ElementType type = ElementTypeOf<T>::value;
    LevelScale scale = whole_level_scale(rule.levels);
    if (rule.has_range) {
        const Result<LevelScale> made =
            level_scale_of_range(type, rule.lo, rule.hi, rule.levels, "the range");
        ASSERT_TRUE(made.ok()) << element_word(type) << ": " << made.error().message;
        scale = *made;
    }
    const std::vector<T> values = values_for<T>(rule);
    ASSERT_NO_FATAL_FAILURE(
        (compare<T, std::uint16_t>(values, rule, scale, quantise_u16(type), 1, values.size())));
    if (rule.levels > 256) return;
    ASSERT_NO_FATAL_FAILURE(
        (compare<T, std::uint8_t>(values, rule, scale, quantise_u8(type), 0, values.size())));
    for (std::size_t n = 0; n < 70; n += n < 4 ? 1 : 13)
        ASSERT_NO_FATAL_FAILURE((compare<T, std::uint8_t>(values, rule, scale, quantise_u8(type), n % 8, n)));
}

const std::uint32_t kLevelCounts[] = {2, 3, 16, 100, 255, 256, 257, 1000, 65535, 65536};

template <class T>
void check_whole() {
    if constexpr (std::is_integral<T>::value)
        for (const std::uint32_t levels : kLevelCounts) {
            ASSERT_NO_FATAL_FAILURE(check_rule<T>({levels, false, 0, 0}));
        }
}

TEST(Levels, WholeRangeOfEveryInteger) {
#define TEGU_X(number, Name, word, type) \
    check_whole<type>();                 \
    if (HasFatalFailure()) return;
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
}

// A range that the type cannot use must be one that f32 cannot tell apart.
template <class T>
void check_range(double lo, double hi) {
    const ElementType type = ElementTypeOf<T>::value;
    for (const std::uint32_t levels : {2u, 16u, 100u, 256u, 65536u}) {
        if (level_scale_of_range(type, lo, hi, levels, "the range").ok()) {
            ASSERT_NO_FATAL_FAILURE(check_rule<T>({levels, true, lo, hi}));
        } else {
            ASSERT_EQ(static_cast<float>(lo), static_cast<float>(hi)) << element_word(type);
        }
    }
}

TEST(Levels, RangesOfEveryType) {
    const double ranges[][2] = {{0, 256},
                                {0, 1},
                                {-1, 1},
                                {-1.7, 3.2},
                                {0.1, 0.7},
                                {10.3, 10.9},
                                {-128, 128},
                                {-200, -100},
                                {300, 400},
                                {0.5, 1e9},
                                {-1e9, -999999000},
                                {1.7e9, 1.7e9 + 100},
                                {0, 4.3e9},
                                {-1e18, 1e18},
                                {1.7e18, 1.7000000001e18},
                                {-9.3e18, 9.3e18},
                                {1.8446744073709e19, 1.9e19},
                                {-1e25, 1e25}};
    for (const auto& range : ranges) {
#define TEGU_X(number, Name, word, type)   \
    check_range<type>(range[0], range[1]); \
    if (HasFatalFailure()) return;
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
}

// docs/numerics.md: only elements that near to an edge may go to the neighbouring level of exact arithmetic.
template <class T>
void check_bound(double lo, double hi) {
    const ElementType type = ElementTypeOf<T>::value;
    constexpr bool kNarrow = sizeof(T) <= 2 || std::is_same<T, float>::value;
    const std::uint32_t levels = 65536;
    const Result<LevelScale> scale = level_scale_of_range(type, lo, hi, levels, "the range");
    ASSERT_TRUE(scale.ok());
    const std::vector<T> values = values_for<T>({levels, true, lo, hi});
    std::vector<std::uint16_t> found(values.size());
    quantise_u16(type)(reinterpret_cast<const std::byte*>(values.data()), values.size(), *scale,
                       found.data());
    const long double inv = levels / (static_cast<long double>(hi) - lo);
    const auto level_at = [&](long double q) {
        return static_cast<std::uint16_t>(
            std::min<long double>(std::max<long double>(std::floor(q), 0), levels - 1));
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(as_double(values[i]))) continue;
        long double exact = as_double(values[i]);
        if constexpr (std::is_integral<T>::value) exact = static_cast<long double>(values[i]);
        const long double q = (exact - lo) * inv, m = kNarrow ? 2 * (std::fabs(lo) + std::fabs(hi)) : 2;
        const long double bound = std::isinf(q) ? 0 : 0x1p-24L * (4 * std::fabs(q) + m * inv);
        ASSERT_LE(level_at(q - bound), found[i])
            << element_word(type) << " " << as_double(values[i]) << " seed " << kSeed;
        ASSERT_GE(level_at(q + bound), found[i])
            << element_word(type) << " " << as_double(values[i]) << " seed " << kSeed;
    }
}

TEST(Levels, NeighbouringLevelsOnlyNearEdges) {
    const double ranges[][2] = {{0, 256},      {-1.7, 3.2},      {0.1, 0.7}, {10.3, 10.9},
                                {-100, 100.5}, {20000.7, 30000}, {0.5, 1e9}};
    for (const auto& range : ranges) {
#define TEGU_X(number, Name, word, type)                                                        \
    if (range[0] >= 0 || is_float(ElementType::Name) || is_signed_integer(ElementType::Name)) { \
        check_bound<type>(range[0], range[1]);                                                  \
        if (HasFatalFailure()) return;                                                          \
    }
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
}

// What f32 alone could not tell apart.
TEST(Levels, LargeOffsetsKeepTheirLevels) {
    const std::int64_t nanoseconds = 1763737433123456789;
    const LevelScale times = *level_scale_of_range(ElementType::I64, 1763737433123456768.0,
                                                   1763737433123457024.0, 256, "the range");
    std::uint8_t level = 0;
    quantise_u8(ElementType::I64)(reinterpret_cast<const std::byte*>(&nanoseconds), 1, times, &level);
    EXPECT_EQ(level, 21);
    const double value = 1e9 + 0.75;
    const LevelScale doubles = *level_scale_of_range(ElementType::F64, 1e9, 1e9 + 1, 4, "the range");
    quantise_u8(ElementType::F64)(reinterpret_cast<const std::byte*>(&value), 1, doubles, &level);
    EXPECT_EQ(level, 3);
}

// Distances half-way between two f32 just below an edge, and one more: a conversion that rounds twice, or
// cuts, moves one of them.
template <class T>
void check_half_way(int width) {
    const double hi = std::ldexp(1.0, width);
    const LevelScale scale = *level_scale_of_range(ElementTypeOf<T>::value, 0, hi, 65536, "the range");
    std::vector<T> values;
    std::vector<std::uint16_t> wanted;
    for (const std::uint16_t level : {32769, 40000, 65535}) {
        const T edge = static_cast<T>(static_cast<T>(level) << (width - 16)),
                half = static_cast<T>(T{1} << (width - 25));
        for (const T below : {T{0}, static_cast<T>(half - 1), half, static_cast<T>(half + 1)}) {
            values.push_back(static_cast<T>(edge - below));
            wanted.push_back(static_cast<std::uint16_t>(below <= half ? level : level - 1));
        }
    }
    std::vector<std::uint16_t> found(values.size());
    quantise_u16(ElementTypeOf<T>::value)(reinterpret_cast<const std::byte*>(values.data()), values.size(),
                                          scale, found.data());
    EXPECT_EQ(found, wanted) << width;
}

TEST(Levels, WideIntegersAreRoundedOnce) {
    check_half_way<std::uint32_t>(32);
    check_half_way<std::uint32_t>(30);
    check_half_way<std::int32_t>(31);
    for (const int width : {30, 52, 53, 54, 60, 63}) check_half_way<std::int64_t>(width);
    for (const int width : {31, 53, 54, 62, 64}) check_half_way<std::uint64_t>(width);
}

// All 65,536 halves, compared with the conversion of base/half.h.
TEST(Levels, EveryHalf) {
    std::vector<Half> values;
    for (std::uint32_t bits = 0; bits < 65536; ++bits)
        values.push_back(Half{static_cast<std::uint16_t>(bits)});
    for (const double hi : {1e-6, 1.0, 65504.0}) {
        const LevelRule rule{4096, true, -hi, hi};
        const LevelScale scale = *level_scale_of_range(ElementType::F16, -hi, hi, rule.levels, "the range");
        ASSERT_NO_FATAL_FAILURE(
            (compare<Half, std::uint16_t>(values, rule, scale, quantise_u16(ElementType::F16), 0, 65536)));
    }
}

template <class T>
void check_found_range() {
    const ElementType type = ElementTypeOf<T>::value;
    std::mt19937_64 random(kSeed);
    for (int round = 0; round < 200; ++round) {
        std::vector<T> values(static_cast<std::size_t>(round));
        FiniteRange wanted;
        for (T& value : values) {
            value = bits_as<T>(random());
            if (!std::isfinite(as_double(value))) continue;
            wanted.lo = std::min(wanted.lo, as_double(value));
            wanted.hi = std::max(wanted.hi, as_double(value));
        }
        FiniteRange found;
        find_finite_range(type)(reinterpret_cast<const std::byte*>(values.data()), values.size(), &found);
        ASSERT_EQ(found.lo, wanted.lo) << element_word(type) << " seed " << kSeed;
        ASSERT_EQ(found.hi, wanted.hi) << element_word(type) << " seed " << kSeed;
    }
    const T none[] = {as_type(kInf, T()), as_type(-kInf, T()), as_type(kNan, T())};
    FiniteRange nothing;
    find_finite_range(type)(reinterpret_cast<const std::byte*>(none), 3, &nothing);
    EXPECT_GT(nothing.lo, nothing.hi);
    const Result<LevelScale> flat = level_scale_of_data(type, nothing, 16);
    ASSERT_TRUE(flat.ok());
    std::uint8_t levels[] = {9, 9, 9};
    EXPECT_EQ(quantise_u8(type)(reinterpret_cast<const std::byte*>(none), 3, *flat, levels), 1u);
    EXPECT_EQ(levels[0] + levels[1] + levels[2], 0);
}

TEST(Levels, RangeOfTheFiniteElements) {
    check_found_range<Half>();
    check_found_range<float>();
    check_found_range<double>();
}

TEST(Levels, RangesThatCannotBeUsedNameTheField) {
    struct {
        ElementType type;
        double lo, hi;
    } const bad[] = {
        {ElementType::U8, 2, 1},           {ElementType::I64, 1, 1},         {ElementType::F64, 0, 1e-44},
        {ElementType::F64, -1e300, 1e300}, {ElementType::I32, 0, kInf},      {ElementType::U16, kNan, 1},
        {ElementType::F16, 0, 1e39},       {ElementType::F32, 1, 1 + 1e-12}, {ElementType::F64, 5, kNan}};
    for (const auto& range : bad) {
        const Result<LevelScale> scale =
            level_scale_of_range(range.type, range.lo, range.hi, 16, "the range");
        ASSERT_FALSE(scale.ok()) << range.lo << " " << range.hi;
        EXPECT_EQ(scale.error().status, Status::BadRange);
        EXPECT_EQ(scale.error().field, "range");
        EXPECT_FALSE(scale.error().allowed.empty());
    }
    EXPECT_TRUE(level_scale_of_range(ElementType::F64, 1, 1 + 1e-12, 16, "the range").ok());
}

}  // namespace
}  // namespace tegu::testing_support
