// SPDX-License-Identifier: Apache-2.0
// The maps of S4, on the GPU and on the CPU, against a recount of every window with long double.
#include "tools/field/seeds/entropy_map/entropy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/execution/cpu/thread_pool.h"
#include "tests/tools/field/seeds/seeds_test.h"
#include "tools/field/seeds/entropy_map/entropy_cpu.h"
#include "tools/field/seeds/kernels/textures.h"

namespace tegu::seeds {
namespace {

constexpr WindowVersion kVersions[] = {
#define TEGU_X(Name, word, title) WindowVersion::Name,
    TEGU_WINDOW_VERSIONS(TEGU_X)
#undef TEGU_X
};
constexpr CpuWindowVersion kCpuVersions[] = {
#define TEGU_X(Name, word, title) CpuWindowVersion::Name,
    TEGU_CPU_WINDOW_VERSIONS(TEGU_X)
#undef TEGU_X
};
// The result is below 2.8 and rounded once to f32. The table of v7 to v9 and v12 is rounded to f32, too: up
// to 16 terms of 2^-24 of 25 log 25, over 25.
constexpr double kError = 2e-7, kMixedError = 2e-6;

struct Shape {
    std::uint32_t rows, cols;
};
constexpr Shape kShapes[] = {{1, 1},  {1, 2},  {2, 1},  {2, 2},  {3, 3},   {4, 5},   {5, 5},    {1, 40},
                             {40, 1}, {8, 32}, {9, 33}, {7, 31}, {16, 64}, {17, 65}, {33, 100}, {70, 37}};

std::vector<float> random_levels(const Shape& shape, std::uint64_t seed) {
    SplitMix random(seed);
    std::vector<float> values(std::size_t{shape.rows} * shape.cols);
    const std::uint64_t levels = seed % 3 == 0 ? 2 : kWindowLevels;
    for (float& value : values) value = static_cast<float>(random.next() % levels);
    return values;
}

std::vector<double> expected_of(const std::vector<float>& values, const Shape& shape) {
    std::vector<double> map(values.size());
    for (std::int64_t row = 0; row < shape.rows; ++row)
        for (std::int64_t col = 0; col < shape.cols; ++col) {
            std::array<int, kWindowLevels> counts{};
            int pixels = 0;
            for (std::int64_t y = row - 2; y <= row + 2; ++y)
                for (std::int64_t x = col - 2; x <= col + 2; ++x) {
                    if (y < 0 || y >= shape.rows || x < 0 || x >= shape.cols) continue;
                    ++counts[static_cast<std::size_t>(values[static_cast<std::size_t>(y * shape.cols + x)])];
                    ++pixels;
                }
            long double entropy = 0;
            for (const int count : counts)
                if (count != 0) {
                    const long double share = static_cast<long double>(count) / pixels;
                    entropy -= share * std::log(share);
                }
            map[static_cast<std::size_t>(row * shape.cols + col)] = static_cast<double>(entropy);
        }
    return map;
}

testing::AssertionResult near_all(const std::vector<float>& found, const std::vector<double>& expected,
                                  double error) {
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(static_cast<double>(found[i]) - expected[i]) <= error))
            return testing::AssertionFailure()
                   << "pixel " << i << ": " << found[i] << ", not " << expected[i];
    return testing::AssertionSuccess();
}

bool is_mixed(WindowVersion version) {
    return version >= WindowVersion::Mixed;
}

class WindowTest : public SeedsTest {
  protected:
    // The image lies in rows of a stride that textures take.
    std::vector<float> map(WindowVersion version, const std::vector<float>& values, const Shape& shape,
                           unsigned threads) {
        const std::uint64_t stride = texture_row_stride(shape.cols);
        std::vector<float> strided(stride * shape.rows, -1.0f);
        for (std::uint32_t row = 0; row < shape.rows; ++row)
            std::copy_n(values.begin() + std::ptrdiff_t{row} * shape.cols, shape.cols,
                        strided.begin() + static_cast<std::ptrdiff_t>(row * stride));
        std::vector<double> logs(kWindowLogs);
        for (unsigned n = 0; n < kWindowLogs; ++n) logs[n] = window_log(n);
        const DeviceArray<float> x(strided), out(values.size());
        const DeviceArray<double> table(logs);
        const Result<Texture> log_texture = Texture::of_numbers(table.data(), kWindowLogs);
        const Result<Texture> image_texture = Texture::of_image(x.data(), shape.rows, shape.cols, stride);
        EXPECT_TRUE(log_texture && image_texture);
        const WindowImage image{x.data(),
                                shape.rows,
                                shape.cols,
                                stride,
                                out.data(),
                                table.data(),
                                log_texture->handle(),
                                image_texture->handle()};
        EXPECT_EQ(launch_window_entropy(version, image, threads, context_.stream), 0);
        wait();
        return out.download(values.size());
    }
};

TEST_F(WindowTest, EveryVersionIsRightAtEverySize) {
    for (const Shape& shape : kShapes) {
        const std::vector<float> values = random_levels(shape, shape.rows + shape.cols);
        const std::vector<double> expected = expected_of(values, shape);
        for (const WindowVersion version : kVersions)
            EXPECT_TRUE(
                near_all(map(version, values, shape, 64), expected, is_mixed(version) ? kMixedError : kError))
                << "version v" << static_cast<int>(version) << ", " << shape.rows << " x " << shape.cols;
    }
}

TEST_F(WindowTest, BlocksOfEverySize) {
    const Shape shape{41, 70};
    const std::vector<float> values = random_levels(shape, 1);
    const std::vector<double> expected = expected_of(values, shape);
    for (const unsigned threads : {32u, 96u, 256u, 512u})
        for (const WindowVersion version :
             {WindowVersion::SharedTable, WindowVersion::Mixed, WindowVersion::SharedInput})
            EXPECT_TRUE(near_all(map(version, values, shape, threads), expected, kMixedError))
                << "version v" << static_cast<int>(version) << ", " << threads << " threads";
}

TEST_F(WindowTest, NothingIsLaunchedForAnImageWithoutPixels) {
    for (const WindowVersion version : kVersions)
        EXPECT_EQ(launch_window_entropy(version, WindowImage{}, 256, context_.stream), 0);
}

TEST(CpuWindowTest, EveryVersionIsRightAtEverySizeAndThreadCount) {
    for (const unsigned threads : {1u, 3u}) {
        kernels::ThreadPool pool(threads);
        for (const Shape& shape :
             {Shape{0, 0}, Shape{0, 5}, Shape{1, 1}, Shape{1, 7}, Shape{9, 1}, Shape{5, 5}, Shape{16, 17},
              Shape{33, 40}, Shape{65, 513}, Shape{130, 515}}) {
            const std::vector<float> values = random_levels(shape, shape.rows + 2);
            const std::vector<double> expected = expected_of(values, shape);
            for (const CpuWindowVersion version : kCpuVersions) {
                std::vector<float> map(values.size(), -1.0f);
                window_entropy_on_cpu(version, values.data(), shape.rows, shape.cols, map.data(), pool);
                EXPECT_TRUE(
                    near_all(map, expected, version == CpuWindowVersion::Mixed ? kMixedError : kError))
                    << "version v" << 10 + static_cast<int>(version) << ", " << shape.rows << " x "
                    << shape.cols;
            }
        }
    }
}

}  // namespace
}  // namespace tegu::seeds
