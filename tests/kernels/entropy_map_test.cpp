// SPDX-License-Identifier: Apache-2.0
// Bit equality with the reference over shapes, windows, levels, borders, types, strides and offsets, for every method, tile and number
// of threads; the error bound of docs/numerics.md; NaN; errors; stopping. The instruction sets are covered by running this
// program once per set (TEGU_CPU_ISA, see CMakeLists.txt).
#include "kernels/entropy_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "kernels/thread_pool.h"
#include "tests/kernels/entropy_map_reference.h"

namespace tegu::kernels {
namespace {

using testing_support::Image;
using testing_support::reference_map;
using testing_support::ReferenceMap;

constexpr EntropyMethod kMethods[] = {EntropyMethod::Slide, EntropyMethod::Planes, EntropyMethod::Columns};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Image make_image(std::int64_t rows, std::int64_t cols, const std::function<double(std::int64_t, std::int64_t)>& pixel) {
    Image image{rows, cols, {}};
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c) image.pixels.push_back(pixel(r, c));
    return image;
}

Image random_bytes(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
    std::mt19937 random(seed);
    return make_image(rows, cols, [&](std::int64_t, std::int64_t) { return double(random() % 256); });
}

Image random_floats(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-3.0f, 5.0f);
    return make_image(rows, cols, [&](std::int64_t, std::int64_t) { return double(uniform(random)); });
}

// Smooth areas, edges and a little noise, as photographs have.
Image picture(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
    std::mt19937 random(seed);
    return make_image(rows, cols, [&](std::int64_t r, std::int64_t c) {
        const double wave = 100 + 60 * std::sin(double(r) / 9) * std::cos(double(c) / 13);
        return std::floor(std::min(255.0, wave + ((r / 17 + c / 23) % 2) * 40 + random() % 4));
    });
}

Image read_pgm(const std::string& name) {
    std::ifstream file(std::string(TEGU_SOURCE_DIR "/tests/data/") + name, std::ios::binary);
    std::string magic;
    int cols = 0, rows = 0, top = 0;
    file >> magic >> cols >> rows >> top;
    file.get();
    EXPECT_EQ(magic, "P5");
    EXPECT_EQ(top, 255);
    return make_image(rows, cols, [&](std::int64_t, std::int64_t) { return double(file.get()); });
}

Image crop(const Image& image, std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
    return make_image(rows, cols, [&](std::int64_t r, std::int64_t c) { return image.at(row + r, col + c); });
}

// An image as bytes: `extra` elements behind each row, the first at `offset` bytes from an aligned address.
struct Stored {
    std::vector<std::byte> bytes;
    InputView view;
};

template <class T>
Stored store_as(const Image& image, std::uint64_t extra, std::size_t offset) {
    Stored stored;
    const std::uint64_t stride = static_cast<std::uint64_t>(image.cols) + extra;
    // The last row has no surplus: a read behind it is a read behind the buffer.
    const std::size_t elements =
        static_cast<std::size_t>(image.rows - 1) * stride + static_cast<std::size_t>(image.cols);
    stored.bytes.resize(offset + elements * sizeof(T), std::byte{0x5a});
    for (std::int64_t r = 0; r < image.rows; ++r) {
        for (std::int64_t c = 0; c < image.cols; ++c) {
            const T value = static_cast<T>(image.at(r, c));
            const std::size_t element = static_cast<std::size_t>(r) * stride + static_cast<std::size_t>(c);
            std::memcpy(stored.bytes.data() + offset + element * sizeof(T), &value, sizeof value);
        }
    }
    stored.view = {stored.bytes.data() + offset, stride};
    return stored;
}

Stored store(const Image& image, ElementType type, std::uint64_t extra = 0, std::size_t offset = 0) {
    return type == ElementType::U8 ? store_as<std::uint8_t>(image, extra, offset)
                                   : store_as<float>(image, extra, offset);
}

Job job_of(const Image& image, ElementType type, const EntropyMapParams& params) {
    Job job;
    job.type = type;
    job.rows = static_cast<std::uint64_t>(image.rows);
    job.cols = static_cast<std::uint64_t>(image.cols);
    job.params = params;
    return job;
}

EntropyMapParams params_of(std::uint32_t rows, std::uint32_t cols, std::uint32_t levels, Border border = Border::Clip,
                           LogBase base = LogBase::Two) {
    EntropyMapParams params;
    params.window_rows = rows;
    params.window_cols = cols;
    params.levels = levels;
    params.border = border;
    params.base = base;
    return params;
}

EntropyMapParams with_range(EntropyMapParams params, double lo, double hi) {
    params.has_range = true;
    params.lo = lo;
    params.hi = hi;
    return params;
}

std::string describe(const Job& job, const EntropyMapParams& params, const EntropyPolicy& policy) {
    return std::string(element_word(job.type)) + " " + std::to_string(job.rows) + "x" + std::to_string(job.cols) +
           " window " + std::to_string(params.window_rows) + "x" + std::to_string(params.window_cols) + " levels " +
           std::to_string(params.levels) + (params.border == Border::Clip ? " clip" : " mirror") +
           (params.base == LogBase::Two ? " base 2" : " base e") + " method " +
           std::string(entropy_method_word(policy.method)) + " tile " + std::to_string(policy.tile_rows) + "x" +
           std::to_string(policy.tile_cols);
}

std::vector<float> run_map(const Job& job, const EntropyPolicy& policy, const InputView& input, ThreadPool* pool) {
    const EntropyMapParams& params = *std::get_if<EntropyMapParams>(&job.params);
    std::vector<float> map(job.rows * job.cols, -1.0f);
    const OutputView output{reinterpret_cast<std::byte*>(map.data())};
    const Result<RunReport> report = run_entropy_map(job, params, policy, Span<const InputView>(&input, 1),
                                                     Span<const OutputView>(&output, 1), pool, StopToken());
    EXPECT_TRUE(report.ok()) << report.error().message;
    return map;
}

testing::AssertionResult same_bits(const std::vector<float>& found, const std::vector<float>& wanted,
                                   std::uint64_t cols) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (std::memcmp(&found[i], &wanted[i], sizeof(float)) != 0)
            return testing::AssertionFailure()
                   << "row " << i / cols << " col " << i % cols << ": found " << found[i] << ", wanted " << wanted[i];
    return testing::AssertionSuccess();
}

// Runs every method with several tiles and 1 or 2 threads against the reference, and checks the reference against its bound.
void check(const Image& image, ElementType type, const EntropyMapParams& params, std::uint64_t extra = 0,
           std::size_t offset = 0) {
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
    for (const EntropyMethod method : kMethods) {
        if (!entropy_method_supports(method, params)) continue;
        for (const EntropyPolicy& policy : {EntropyPolicy{method, 64, 1024}, EntropyPolicy{method, 5, 64}})
            ASSERT_TRUE(same_bits(run_map(job, policy, stored.view, policy.tile_rows == 5 ? &pool : nullptr),
                                  reference.map, job.cols))
                << describe(job, params, policy);
    }
}

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
                    const EntropyMapParams params = params_of(window, window == 33 ? 5 : window, levels, border);
                    ASSERT_NO_FATAL_FAILURE(check(random_bytes(shape[0], shape[1], 7), ElementType::U8, params));
                    ASSERT_NO_FATAL_FAILURE(check(random_floats(shape[0], shape[1], 8), ElementType::F32, params));
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
        if (random() % 3 == 0) params = with_range(params, double(between(0, 100)) - 50, 60 + between(0, 100));
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
                for (const EntropyMethod method : kMethods) {
                    if (!entropy_method_supports(method, params_of(window, window, 16))) continue;
                    ASSERT_TRUE(
                        same_bits(run_map(job, {method, 64, 1024}, store(image, type).view, nullptr), zeros, 90));
                }
            }
        }
    }
}

TEST(EntropyMap, KnownValues) {
    // A checkerboard of two levels: 13 and 12 of 25 in each whole window.
    const Image board = make_image(20, 20, [](std::int64_t r, std::int64_t c) { return (r + c) % 2 ? 255.0 : 0.0; });
    const std::vector<float> map =
        run_map(job_of(board, ElementType::U8, params_of(5, 5, 2)), {}, store(board, ElementType::U8).view, nullptr);
    EXPECT_NEAR(map[10 * 20 + 10], 0.998845535995202, 1e-7);
    // Nine different levels in a 3x3 window: log2(9). In the corner four: exactly 2.
    const Image ramp = make_image(3, 3, [](std::int64_t r, std::int64_t c) { return double(16 * (3 * r + c)); });
    const std::vector<float> small =
        run_map(job_of(ramp, ElementType::U8, params_of(3, 3, 16)), {}, store(ramp, ElementType::U8).view, nullptr);
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
    const std::vector<float> map =
        run_map(job_of(image, ElementType::F32, with_range(params_of(3, 3, 16), -3, 5)), {}, stored.view, nullptr);
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
        return make_image(10, 70, [&](std::int64_t r, std::int64_t c) { return (r + c) % 5 ? value : other; });
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

TEST(EntropyMap, SameBitsForAnyNumberOfThreads) {
    const Image image = picture(200, 300, 21);
    for (const EntropyMapParams& params :
         {params_of(5, 5, 16), params_of(31, 31, 256, Border::Mirror), params_of(9, 21, 64)}) {
        const Job job = job_of(image, ElementType::U8, params);
        const Stored stored = store(image, ElementType::U8, 5, 3);
        const std::vector<float> one = run_map(job, choose_entropy_policy(params), stored.view, nullptr);
        for (const unsigned threads : {1u, 2u, 7u}) {
            ThreadPool pool(threads);
            for (const std::uint32_t tile_rows : {3u, 8u, 64u})
                EXPECT_TRUE(same_bits(
                    run_map(job, {choose_entropy_policy(params).method, tile_rows, 64}, stored.view, &pool), one, 300))
                    << threads << " threads";
        }
    }
}

TEST(EntropyMap, TheDoorRunsTheChosenPolicyAndReportsIt) {
    const Image image = picture(30, 40, 22);
    const EntropyMapParams params = params_of(5, 5, 16);
    const Job job = job_of(image, ElementType::U8, params);
    const Result<JobPlan> plan = plan_job(job);
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->outputs.size(), 1u);
    EXPECT_EQ(plan->outputs[0].role, ArrayRole::Map);
    EXPECT_EQ(plan->outputs[0].type, ElementType::F32);
    EXPECT_EQ(plan->outputs[0].rows, 30u);
    EXPECT_EQ(plan->outputs[0].cols, 40u);
    EXPECT_EQ(plan->bytes_read, 1200u);
    EXPECT_EQ(plan->bytes_written, 4800u);
    EXPECT_GT(plan->scratch_bytes, 0u);
    EXPECT_GT(plan->predicted_ns, 0u);
    const Stored stored = store(image, ElementType::U8);
    std::vector<float> map(1200);
    const OutputView output{reinterpret_cast<std::byte*>(map.data())};
    const Result<RunReport> report =
        run_job(job, Span<const InputView>(&stored.view, 1), Span<const OutputView>(&output, 1), nullptr, StopToken());
    ASSERT_TRUE(report.ok());
    const EntropyPolicy policy = choose_entropy_policy(params);
    EXPECT_EQ(report->policy, std::string("cpu ") + cpu_isa() + " threads=1 method=" +
                                  std::string(entropy_method_word(policy.method)) + " tile=30x40");
    ASSERT_EQ(report->filled_columns.size(), 1u);
    EXPECT_EQ(report->filled_columns[0], 40u);
    EXPECT_TRUE(same_bits(map, reference_map(image, ElementType::U8, params).map, 40));
}

TEST(EntropyMap, ThePolicyIsOneThatTheMethodSupports) {
    for (std::uint32_t window = 3; window <= 63; window += 2) {
        for (std::uint32_t levels = 2; levels <= 256; ++levels) {
            const EntropyMapParams params = params_of(window, 66 - window, levels);
            const EntropyPolicy policy = choose_entropy_policy(params);
            ASSERT_TRUE(entropy_method_supports(policy.method, params)) << window << " " << levels;
        }
    }
    // What no model may change: few levels never slide, and 256 always do.
    EXPECT_NE(choose_entropy_policy(params_of(5, 5, 2)).method, EntropyMethod::Slide);
    EXPECT_NE(choose_entropy_policy(params_of(63, 63, 16)).method, EntropyMethod::Slide);
    EXPECT_EQ(choose_entropy_policy(params_of(31, 31, 256)).method, EntropyMethod::Slide);
}

TEST(EntropyMap, ScratchStaysBoundedWhateverTheShape) {
    for (const std::uint64_t levels : {16u, 256u})
        for (const std::uint64_t rows : {std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 31}) {
            Job job;
            job.type = ElementType::F32;
            job.rows = rows;
            job.cols = (std::uint64_t{1} << 32) / rows;
            job.params = params_of(63, 63, static_cast<std::uint32_t>(levels), Border::Mirror);
            const Result<JobPlan> plan = plan_job(job);
            ASSERT_TRUE(plan.ok());
            EXPECT_LT(plan->scratch_bytes, std::uint64_t{16} << 20);
        }
}

struct BadCase {
    const char* what;
    Status status;
    const char* field;
    void (*spoil)(Job&, EntropyMapParams&);
};

const BadCase kBadCases[] = {
    {"type f64", Status::Unsupported, "type", [](Job& job, EntropyMapParams&) { job.type = ElementType::F64; }},
    {"type i32", Status::Unsupported, "type", [](Job& job, EntropyMapParams&) { job.type = ElementType::I32; }},
    {"axis rows", Status::BadRequest, "axis", [](Job& job, EntropyMapParams&) { job.axis = Axis::Rows; }},
    {"even window", Status::BadRange, "window_rows", [](Job&, EntropyMapParams& p) { p.window_rows = 4; }},
    {"window 1", Status::BadRange, "window_cols", [](Job&, EntropyMapParams& p) { p.window_cols = 1; }},
    {"window 65", Status::BadRange, "window_cols", [](Job&, EntropyMapParams& p) { p.window_cols = 65; }},
    {"window 0", Status::BadRange, "window_rows", [](Job&, EntropyMapParams& p) { p.window_rows = 0; }},
    {"window 2^32-1", Status::BadRange, "window_rows", [](Job&, EntropyMapParams& p) { p.window_rows = 0xffffffffu; }},
    {"levels 1", Status::BadRange, "levels", [](Job&, EntropyMapParams& p) { p.levels = 1; }},
    {"levels 257", Status::BadRange, "levels", [](Job&, EntropyMapParams& p) { p.levels = 257; }},
    {"base 2", Status::BadRequest, "base", [](Job&, EntropyMapParams& p) { p.base = static_cast<LogBase>(2); }},
    {"border 9", Status::BadRequest, "border", [](Job&, EntropyMapParams& p) { p.border = static_cast<Border>(9); }},
    {"range NaN", Status::BadRange, "range", [](Job&, EntropyMapParams& p) { p = with_range(p, double(kNan), 1); }},
    {"range to NaN", Status::BadRange, "range", [](Job&, EntropyMapParams& p) { p = with_range(p, 0, double(kNan)); }},
    {"range to infinity", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, 0, double(kInfinity)); }},
    {"range to 1e300", Status::BadRange, "range", [](Job&, EntropyMapParams& p) { p = with_range(p, 0, 1e300); }},
    {"range upside down", Status::BadRange, "range", [](Job&, EntropyMapParams& p) { p = with_range(p, 2, 1); }},
    {"range empty", Status::BadRange, "range", [](Job&, EntropyMapParams& p) { p = with_range(p, 1, 1); }},
    {"range empty in f32", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, 1, 1 + 1e-12); }},
    {"range too wide", Status::BadRange, "range", [](Job&, EntropyMapParams& p) { p = with_range(p, -3e38, 3e38); }},
    {"range too narrow", Status::BadRange, "range", [](Job&, EntropyMapParams& p) { p = with_range(p, 0, 1e-44); }},
    {"no rows", Status::EmptyInput, "rows", [](Job& job, EntropyMapParams&) { job.rows = 0; }},
    {"no columns", Status::EmptyInput, "cols", [](Job& job, EntropyMapParams&) { job.cols = 0; }},
    {"map too large", Status::TooLarge, "rows",
     [](Job& job, EntropyMapParams&) { job.rows = job.cols = std::uint64_t{3} << 29; }},
};

TEST(EntropyMap, BadRequestsNameTheField) {
    for (const BadCase& bad : kBadCases) {
        EntropyMapParams params = params_of(5, 5, 16);
        Job job = job_of(make_image(8, 8, [](std::int64_t, std::int64_t) { return 1.0; }), ElementType::U8, params);
        bad.spoil(job, params);
        job.params = params;
        const Result<JobPlan> plan = plan_job(job);
        ASSERT_FALSE(plan.ok()) << bad.what;
        EXPECT_EQ(plan.error().status, bad.status) << bad.what;
        EXPECT_EQ(plan.error().field, bad.field) << bad.what;
        EXPECT_FALSE(plan.error().allowed.empty()) << bad.what;
        EXPECT_FALSE(plan.error().message.empty()) << bad.what;
    }
}

TEST(EntropyMap, RangeOfTheDataThatCannotBeUsedIsAnError) {
    for (const double top : {3.4e38, 1e-44}) {
        const Image image =
            make_image(4, 4, [&](std::int64_t r, std::int64_t) { return r == 0 ? (top > 1 ? -top : 0.0) : top; });
        const Stored stored = store(image, ElementType::F32);
        const Job job = job_of(image, ElementType::F32, params_of(3, 3, 16));
        ASSERT_TRUE(plan_job(job).ok());
        std::vector<float> map(16);
        const OutputView output{reinterpret_cast<std::byte*>(map.data())};
        const Result<RunReport> report = run_job(job, Span<const InputView>(&stored.view, 1),
                                                 Span<const OutputView>(&output, 1), nullptr, StopToken());
        ASSERT_FALSE(report.ok());
        EXPECT_EQ(report.error().status, Status::BadRange);
        EXPECT_EQ(report.error().field, "range");
    }
}

TEST(EntropyMap, StopsWhenAsked) {
    const Image image = random_floats(300, 300, 31);
    const Stored stored = store(image, ElementType::F32);
    std::vector<float> map(90000);
    const OutputView output{reinterpret_cast<std::byte*>(map.data())};
    const std::atomic<bool> cancelled{true};
    const StopToken cancel(&cancelled, StopToken::Clock::time_point::max());
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    ThreadPool pool(2);
    for (const bool range : {false, true}) {
        EntropyMapParams params = params_of(31, 31, 256);
        if (range) params = with_range(params, -3, 5);
        const Job job = job_of(image, ElementType::F32, params);
        for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
            const Result<RunReport> first = run_job(job, Span<const InputView>(&stored.view, 1),
                                                    Span<const OutputView>(&output, 1), threads, cancel);
            ASSERT_FALSE(first.ok());
            EXPECT_EQ(first.error().status, Status::Cancelled);
            const Result<RunReport> second =
                run_job(job, Span<const InputView>(&stored.view, 1), Span<const OutputView>(&output, 1), threads, late);
            ASSERT_FALSE(second.ok());
            EXPECT_EQ(second.error().status, Status::DeadlineExceeded);
        }
    }
}

}  // namespace
}  // namespace tegu::kernels
