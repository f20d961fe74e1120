// SPDX-License-Identifier: Apache-2.0
// What the tests of entropy_map share: images, images as bytes in memory, jobs, and check(), which compares
// every method with the reference to the bit.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/entropy_map/method.h"
#include "kernels/execution/cpu/thread_pool.h"
#include "tests/kernels/entropy_map/reference.h"

namespace tegu::testing_support {

using namespace kernels;

inline constexpr CpuEntropyMethod kMethods[] = {CpuEntropyMethod::Slide, CpuEntropyMethod::Planes,
                                                CpuEntropyMethod::Columns, CpuEntropyMethod::Prefix};
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline Image make_image(std::int64_t rows, std::int64_t cols,
                        const std::function<double(std::int64_t, std::int64_t)>& pixel) {
    Image image{rows, cols, {}};
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c) image.pixels.push_back(pixel(r, c));
    return image;
}

inline Image random_bytes(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
    std::mt19937 random(seed);
    return make_image(rows, cols, [&](std::int64_t, std::int64_t) { return double(random() % 256); });
}

inline Image random_floats(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-3.0f, 5.0f);
    return make_image(rows, cols, [&](std::int64_t, std::int64_t) { return double(uniform(random)); });
}

// Smooth areas, edges and a little noise, as photographs have.
inline Image picture(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
    std::mt19937 random(seed);
    return make_image(rows, cols, [&](std::int64_t r, std::int64_t c) {
        const double wave = 100 + 60 * std::sin(double(r) / 9) * std::cos(double(c) / 13);
        return std::floor(std::min(255.0, wave + ((r / 17 + c / 23) % 2) * 40 + random() % 4));
    });
}

inline Image read_pgm(const std::string& name) {
    std::ifstream file(std::string(TEGU_SOURCE_DIR "/tests/data/") + name, std::ios::binary);
    std::string magic;
    int cols = 0, rows = 0, top = 0;
    file >> magic >> cols >> rows >> top;
    file.get();
    EXPECT_EQ(magic, "P5");
    EXPECT_EQ(top, 255);
    return make_image(rows, cols, [&](std::int64_t, std::int64_t) { return double(file.get()); });
}

inline Image crop(const Image& image, std::int64_t row, std::int64_t col, std::int64_t rows,
                  std::int64_t cols) {
    return make_image(rows, cols, [&](std::int64_t r, std::int64_t c) { return image.at(row + r, col + c); });
}

// An image as bytes: `extra` elements behind each row, the first at `offset` bytes from an aligned address.
struct Stored {
    std::vector<std::byte> bytes;
    InputView view;
};

template <class T>
inline Stored store_as(const Image& image, std::uint64_t extra, std::size_t offset) {
    Stored stored;
    const std::uint64_t stride = static_cast<std::uint64_t>(image.cols) + extra;
    // The last row has no surplus: a read behind it is a read behind the buffer.
    const std::size_t elements =
        static_cast<std::size_t>(image.rows - 1) * stride + static_cast<std::size_t>(image.cols);
    stored.bytes.resize(offset + elements * sizeof(T), std::byte{0x5a});
    for (std::int64_t r = 0; r < image.rows; ++r) {
        for (std::int64_t c = 0; c < image.cols; ++c) {
            const T value = pixel_as(image.at(r, c), T());
            const std::size_t element = static_cast<std::size_t>(r) * stride + static_cast<std::size_t>(c);
            std::memcpy(stored.bytes.data() + offset + element * sizeof(T), &value, sizeof value);
        }
    }
    stored.view = {stored.bytes.data() + offset, stride};
    return stored;
}

inline Stored store(const Image& image, ElementType type, std::uint64_t extra = 0, std::size_t offset = 0) {
    return visit_element_type(type, [&](auto t) { return store_as<decltype(t)>(image, extra, offset); });
}

inline Job job_of(const Image& image, ElementType type, const EntropyMapParams& params) {
    Job job;
    job.type = type;
    job.rows = static_cast<std::uint64_t>(image.rows);
    job.cols = static_cast<std::uint64_t>(image.cols);
    job.params = params;
    return job;
}

inline EntropyMapParams params_of(std::uint32_t rows, std::uint32_t cols, std::uint32_t levels,
                                  Border border = Border::Clip, LogBase base = LogBase::Two) {
    EntropyMapParams params;
    params.window_rows = rows;
    params.window_cols = cols;
    params.levels = levels;
    params.border = border;
    params.base = base;
    return params;
}

inline EntropyMapParams with_range(EntropyMapParams params, double lo, double hi) {
    params.has_range = true;
    params.lo = lo;
    params.hi = hi;
    return params;
}

inline std::string describe(const Job& job, const EntropyMapParams& params, const EntropyPolicy& policy) {
    return std::string(element_word(job.type)) + " " + std::to_string(job.rows) + "x" +
           std::to_string(job.cols) + " window " + std::to_string(params.window_rows) + "x" +
           std::to_string(params.window_cols) + " levels " + std::to_string(params.levels) +
           (params.border == Border::Clip ? " clip" : " mirror") +
           (params.base == LogBase::Two ? " base 2" : " base e") + " method " +
           std::string(entropy_method_word(policy.method)) + " tile " + std::to_string(policy.tile_rows) +
           "x" + std::to_string(policy.tile_cols);
}

inline std::vector<float> run_map(const Job& job, const EntropyPolicy& policy, const InputView& input,
                                  ThreadPool* pool) {
    const EntropyMapParams& params = *std::get_if<EntropyMapParams>(&job.params);
    std::vector<float> map(job.rows * job.cols, -1.0f);
    const OutputView output{reinterpret_cast<std::byte*>(map.data())};
    const Result<RunReport> report = run_entropy_map(job, params, policy, Span<const InputView>(&input, 1),
                                                     Span<const OutputView>(&output, 1), pool, StopToken());
    EXPECT_TRUE(report.ok()) << report.error().message;
    return map;
}

inline testing::AssertionResult same_bits(const std::vector<float>& found, const std::vector<float>& wanted,
                                          std::uint64_t cols) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (std::memcmp(&found[i], &wanted[i], sizeof(float)) != 0)
            return testing::AssertionFailure() << "row " << i / cols << " col " << i % cols << ": found "
                                               << found[i] << ", wanted " << wanted[i];
    return testing::AssertionSuccess();
}

// Runs every method with several tiles and 1 or 2 threads against the reference, and checks the reference
// against its bound.
inline void check(const Image& image, ElementType type, const EntropyMapParams& params,
                  std::uint64_t extra = 0, std::size_t offset = 0) {
    static ThreadPool pool(2);
    const Job job = job_of(image, type, params);
    ASSERT_TRUE(plan_job(job).ok()) << plan_job(job).error().message;
    const ReferenceMap reference = reference_map(image, type, params);
    for (std::size_t i = 0; i < reference.map.size(); ++i) {
        if (std::isnan(reference.exact[i])) continue;
        ASSERT_LE(std::fabs(reference.map[i] - reference.exact[i]), reference.bound[i])
            << describe(job, params, {}) << " at " << i;
    }
    const Stored stored = store(image, type, extra, offset);
    for (const CpuEntropyMethod method : kMethods) {
        if (!entropy_method_supports(method, params)) continue;
        for (const EntropyPolicy& policy : {EntropyPolicy{method, 64, 1024}, EntropyPolicy{method, 5, 64}}) {
            // Small tiles of many levels are all preparation: one size of tile is enough there.
            if (policy.tile_rows == 5 && params.levels > 64 && method != CpuEntropyMethod::Slide) continue;
            ASSERT_TRUE(same_bits(run_map(job, policy, stored.view, policy.tile_rows == 5 ? &pool : nullptr),
                                  reference.map, job.cols))
                << describe(job, params, policy);
        }
    }
}

}  // namespace tegu::testing_support
