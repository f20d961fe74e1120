// SPDX-License-Identifier: Apache-2.0
// Maps against the reference, to the bit: shapes, windows, levels, borders, types, strides and offsets,
// ranges, NaN and infinities, for every method and several tiles; and the error bound of docs/numerics.md.
// The instruction sets are covered by running this program once for each (TEGU_CPU_ISA).
#include "tests/kernels/entropy_map/util.h"

namespace tegu::testing_support {
namespace {

TEST(EntropyMap, WindowsLevelsBordersAndBases) {
    const Image bytes = picture(21, 69, 1);
    const Image floats = random_floats(13, 70, 2);
    const std::uint32_t windows[][2] = {{3, 3},  {5, 5},  {7, 7},   {9, 9},   {3, 63},
                                        {63, 3}, {5, 11}, {17, 15}, {31, 31}, {63, 63}};
    for (const auto& window : windows) {
        for (const std::uint32_t levels : {2u, 8u, 16u, 17u, 64u, 100u, 256u}) {
            for (const Border border : {Border::Clip, Border::Mirror}) {
                const LogBase base = (levels + window[0]) % 2 == 0 ? LogBase::Two : LogBase::E;
                const EntropyMapParams params = params_of(window[0], window[1], levels, border, base);
                ASSERT_NO_FATAL_FAILURE(check(bytes, ElementType::U8, params));
                ASSERT_NO_FATAL_FAILURE(check(floats, ElementType::F32, params));
            }
        }
    }
}

TEST(EntropyMap, EverySquareWindow) {
    for (std::uint32_t window = 3; window <= 63; window += 2)
        for (const Border border : {Border::Clip, Border::Mirror})
            ASSERT_NO_FATAL_FAILURE(
                check(random_bytes(9, 70, window), ElementType::U8, params_of(window, window, 16, border)));
}

TEST(EntropyMap, EdgeShapes) {
    const std::int64_t shapes[][2] = {{1, 1}, {1, 2},  {2, 1},  {1, 65}, {129, 1}, {2, 2},
                                      {3, 5}, {4, 63}, {5, 64}, {6, 65}, {64, 7},  {33, 129}};
    for (const auto& shape : shapes) {
        for (const std::uint32_t levels : {16u, 256u}) {
            for (const Border border : {Border::Clip, Border::Mirror}) {
                for (const std::uint32_t window : {3u, 5u, 9u, 33u, 63u}) {
                    const EntropyMapParams params =
                        params_of(window, window == 33 ? 5 : window, levels, border);
                    ASSERT_NO_FATAL_FAILURE(
                        check(random_bytes(shape[0], shape[1], 7), ElementType::U8, params));
                    ASSERT_NO_FATAL_FAILURE(
                        check(random_floats(shape[0], shape[1], 8), ElementType::F32, params));
                }
            }
        }
    }
}

TEST(EntropyMap, StridesAndOffsets) {
    for (const std::uint64_t extra : {0u, 1u, 3u, 64u})
        for (const std::size_t offset : {0u, 1u, 2u, 3u, 7u}) {
            ASSERT_NO_FATAL_FAILURE(
                check(random_bytes(13, 75, 3), ElementType::U8, params_of(5, 5, 16), extra, offset));
            ASSERT_NO_FATAL_FAILURE(
                check(random_floats(13, 75, 4), ElementType::F32, params_of(5, 5, 16), extra, offset));
        }
}

TEST(EntropyMap, RandomJobs) {
    const std::uint32_t seed = std::random_device{}();
    std::mt19937 random(seed);
    const auto between = [&](std::uint32_t lo, std::uint32_t hi) { return lo + random() % (hi - lo + 1); };
    for (int round = 0; round < 100; ++round) {
        EntropyMapParams params =
            params_of(between(1, 31) * 2 + 1, between(1, 31) * 2 + 1, between(2, 256),
                      random() % 2 ? Border::Clip : Border::Mirror, random() % 2 ? LogBase::Two : LogBase::E);
        if (random() % 3 == 0)
            params = with_range(params, double(between(0, 100)) - 50, 60 + between(0, 100));
        const bool bytes = random() % 2;
        const std::int64_t rows = between(1, 30), cols = between(1, 150);
        const Image image = !bytes         ? random_floats(rows, cols, random())
                            : random() % 2 ? random_bytes(rows, cols, random())
                                           : picture(rows, cols, random());
        ASSERT_NO_FATAL_FAILURE(
            check(image, bytes ? ElementType::U8 : ElementType::F32, params, between(0, 5), between(0, 9)))
            << "seed " << seed;
    }
}

TEST(EntropyMap, RealImages) {
    const Image camera = crop(read_pgm("camera.pgm"), 200, 130, 90, 200);
    const Image stars = crop(read_pgm("hubble_deep_field.pgm"), 50, 60, 90, 200);
    for (const Image& image : {camera, stars}) {
        ASSERT_NO_FATAL_FAILURE(check(image, ElementType::U8, params_of(5, 5, 16)));
        ASSERT_NO_FATAL_FAILURE(check(image, ElementType::U8, params_of(9, 9, 256, Border::Mirror)));
        ASSERT_NO_FATAL_FAILURE(check(image, ElementType::U8, with_range(params_of(15, 15, 40), 20, 200)));
        ASSERT_NO_FATAL_FAILURE(check(image, ElementType::F32, params_of(7, 7, 64)));
    }
}

TEST(EntropyMap, FlatImageIsExactlyZero) {
    for (const double value : {0.0, 77.0, 255.0}) {
        const Image image = make_image(40, 90, [&](std::int64_t, std::int64_t) { return value; });
        for (const ElementType type : {ElementType::U8, ElementType::F32}) {
            for (const std::uint32_t window : {3u, 5u, 31u, 63u}) {
                const Job job = job_of(image, type, params_of(window, window, 16));
                const std::vector<float> zeros(image.pixels.size(), 0.0f);
                for (const CpuEntropyMethod method : kMethods) {
                    if (!entropy_method_supports(method, params_of(window, window, 16))) continue;
                    ASSERT_TRUE(same_bits(run_map(job, {method, 64, 1024}, store(image, type).view, nullptr),
                                          zeros, 90));
                }
            }
        }
    }
}

TEST(EntropyMap, KnownValues) {
    // A checkerboard of two levels: 13 and 12 of 25 in each whole window.
    const Image board =
        make_image(20, 20, [](std::int64_t r, std::int64_t c) { return (r + c) % 2 ? 255.0 : 0.0; });
    const std::vector<float> map = run_map(job_of(board, ElementType::U8, params_of(5, 5, 2)), {},
                                           store(board, ElementType::U8).view, nullptr);
    EXPECT_NEAR(map[10 * 20 + 10], 0.998845535995202, 1e-7);
    // Nine different levels in a 3x3 window: log2(9). In the corner four: exactly 2.
    const Image ramp =
        make_image(3, 3, [](std::int64_t r, std::int64_t c) { return double(16 * (3 * r + c)); });
    const std::vector<float> small = run_map(job_of(ramp, ElementType::U8, params_of(3, 3, 16)), {},
                                             store(ramp, ElementType::U8).view, nullptr);
    EXPECT_NEAR(small[4], 3.169925001442312, 2e-7);
    EXPECT_EQ(small[0], 2.0f);
}

TEST(EntropyMap, GradientFillsEveryLevel) {
    const Image gradient = make_image(40, 256, [](std::int64_t, std::int64_t c) { return double(c); });
    for (const std::uint32_t levels : {2u, 5u, 16u, 256u})
        ASSERT_NO_FATAL_FAILURE(check(gradient, ElementType::U8, params_of(9, 31, levels)));
}

TEST(EntropyMap, NansReachTheWindowsThatHoldThem) {
    std::mt19937 random(11);
    for (const double share : {0.0005, 0.01, 0.3, 1.0}) {
        Image image = random_floats(25, 130, 12);
        for (double& pixel : image.pixels)
            if (random() % 10000 < share * 10000) pixel = kNan;
        for (const Border border : {Border::Clip, Border::Mirror})
            for (const std::uint32_t window : {3u, 5u, 21u, 63u})
                ASSERT_NO_FATAL_FAILURE(
                    check(image, ElementType::F32, params_of(window, window == 21 ? 3 : window, 16, border)));
    }
    // One NaN in each corner and edge, one at a time.
    for (const std::int64_t row : {0, 5, 11})
        for (const std::int64_t col : {0, 63, 64, 79}) {
            Image image = random_floats(12, 80, 13);
            image.pixels[static_cast<std::size_t>(row * 80 + col)] = kNan;
            ASSERT_NO_FATAL_FAILURE(check(image, ElementType::F32, params_of(5, 7, 16, Border::Mirror)));
            ASSERT_NO_FATAL_FAILURE(check(image, ElementType::F32, params_of(5, 7, 16, Border::Clip)));
        }
}

TEST(EntropyMap, EveryNanGivesTheCanonicalOne) {
    Image image = random_floats(7, 7, 14);
    Stored stored = store(image, ElementType::F32);
    const std::uint32_t odd_nan = 0xff812345;  // negative, signalling, with a payload
    std::memcpy(stored.bytes.data() + 24 * sizeof(float), &odd_nan, sizeof odd_nan);
    const std::vector<float> map = run_map(
        job_of(image, ElementType::F32, with_range(params_of(3, 3, 16), -3, 5)), {}, stored.view, nullptr);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &map[24], sizeof bits);
    EXPECT_EQ(bits, 0x7fc00000u);
    EXPECT_TRUE(std::isnan(map[16]));
    EXPECT_FALSE(std::isnan(map[14 + 1]));
}

TEST(EntropyMap, InfinitiesAndPixelsOutsideTheRangeAreClamped) {
    Image image = random_floats(20, 66, 15);
    for (std::size_t i = 0; i < image.pixels.size(); i += 7) image.pixels[i] = i % 2 ? kInfinity : -kInfinity;
    for (std::size_t i = 3; i < image.pixels.size(); i += 11) image.pixels[i] = i % 2 ? 3.4e38f : -3.4e38f;
    ASSERT_NO_FATAL_FAILURE(check(image, ElementType::F32, with_range(params_of(5, 5, 16), -1, 2)));
    for (double& pixel : image.pixels)
        if (std::fabs(pixel) > 1e38 && !std::isinf(pixel)) pixel = 0;
    ASSERT_NO_FATAL_FAILURE(check(image, ElementType::F32, params_of(5, 5, 16)));
}

TEST(EntropyMap, ImagesWithoutARangeAreLevelZero) {
    const auto flat_with = [](double value, double other) {
        return make_image(10, 70,
                          [&](std::int64_t r, std::int64_t c) { return (r + c) % 5 ? value : other; });
    };
    ASSERT_NO_FATAL_FAILURE(check(flat_with(4, 4), ElementType::F32, params_of(5, 5, 16)));
    ASSERT_NO_FATAL_FAILURE(check(flat_with(4, kInfinity), ElementType::F32, params_of(5, 5, 16)));
    ASSERT_NO_FATAL_FAILURE(check(flat_with(kInfinity, -kInfinity), ElementType::F32, params_of(5, 5, 16)));
    ASSERT_NO_FATAL_FAILURE(check(flat_with(kNan, kInfinity), ElementType::F32, params_of(5, 5, 16)));
    ASSERT_NO_FATAL_FAILURE(check(flat_with(0.0, -0.0), ElementType::F32, params_of(5, 5, 16)));
}

TEST(EntropyMap, PixelsAtTheEdgesOfLevels) {
    // Every multiple of the level width and its neighbours in f32.
    Image image{0, 0, {}};
    for (int level = -1; level <= 33; ++level) {
        const float edge = -1.7f + static_cast<float>(level) * (4.9f / 32);
        for (const float pixel : {std::nextafter(edge, -10.0f), edge, std::nextafter(edge, 10.0f)})
            image.pixels.push_back(double(pixel));
    }
    image.rows = 5;
    image.cols = static_cast<std::int64_t>(image.pixels.size()) / 5;
    ASSERT_NO_FATAL_FAILURE(check(image, ElementType::F32, with_range(params_of(3, 3, 32), -1.7, 3.2)));
}

}  // namespace
}  // namespace tegu::testing_support
