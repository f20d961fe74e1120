// SPDX-License-Identifier: Apache-2.0
// What histogram refuses before it runs and while it runs, what a plan promises, runs that are stopped or
// whose input changes, and more elements than a 32-bit counter can hold.
#include <sys/mman.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "kernels/execution/cpu/isa.h"
#include "tests/kernels/counting/counting_run.h"

namespace tegu::test {
namespace {

using kernels::JobPlan;
using kernels::plan_job;
using kernels::StopToken;
using kernels::ThreadPool;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

HistogramParams params_of(std::uint32_t bins) {
    HistogramParams params;
    params.bins = bins;
    return params;
}

HistogramParams params_of(std::uint32_t bins, double lo, double hi) {
    return with_range(params_of(bins), lo, hi);
}

Job whole(ElementType type, std::uint64_t n, const HistogramParams& params) {
    return counting_job(type, Axis::Whole, 1, n, params);
}

TEST(HistogramPlan, RefusesNumbersOfBins) {
    for (const std::uint32_t bins : {0u, kMaxBins + 1, 0xffffffffu}) {
        const Error error = plan_error(whole(ElementType::F32, 10, params_of(bins)));
        EXPECT_EQ(error.status, Status::BadRange);
        EXPECT_EQ(error.field, "bins");
        EXPECT_EQ(error.allowed, "1..1048576");
        EXPECT_NE(error.message.find(std::to_string(bins)), std::string::npos);
    }
    Job job = whole(ElementType::F32, 0, params_of(kMaxBins));
    job.axis = Axis::Rows;
    job.rows = std::uint64_t{1} << 40;
    EXPECT_EQ(plan_error(job).status, Status::TooLarge);
    EXPECT_EQ(plan_error(job).field, "bins");
}

TEST(HistogramPlan, RefusesRanges) {
    const double ranges[][2] = {{1, 0},         {kNan, 1},           {0, kNan},      {-kInfinity, 0},
                                {0, kInfinity}, {-1.7e308, 1.7e308}, {1e300, 1e300}, {1, 1 + 4e-16}};
    for (const auto& range : ranges) {
        const Error error = plan_error(whole(ElementType::I16, 10, params_of(10, range[0], range[1])));
        EXPECT_EQ(error.status, Status::BadRange) << range[0] << " " << range[1];
        EXPECT_EQ(error.field, "range");
        EXPECT_FALSE(error.allowed.empty());
        EXPECT_EQ(error.message.find("the range, "), 0u) << error.message;
    }
    EXPECT_TRUE(plan_job(whole(ElementType::I16, 10, params_of(10, 4, 4))).ok());
    EXPECT_TRUE(plan_job(whole(ElementType::I16, 10, params_of(10, -1e308, 1e307))).ok());
}

TEST(HistogramPlan, TellsTypesShapesAndCosts) {
    Job job = counting_job(ElementType::F32, Axis::Rows, 7, 100, params_of(16, 0, 1));
    const Result<JobPlan> plan = plan_job(job);
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->outputs.size(), 2u);
    EXPECT_EQ(plan->outputs[0].role, ArrayRole::Histogram);
    EXPECT_EQ(plan->outputs[0].type, ElementType::U64);
    EXPECT_EQ(plan->outputs[0].rows, 7u);
    EXPECT_EQ(plan->outputs[0].cols, 16u);
    EXPECT_EQ(plan->outputs[1].role, ArrayRole::Edges);
    EXPECT_EQ(plan->outputs[1].type, ElementType::F64);
    EXPECT_EQ(plan->outputs[1].cols, 17u);
    EXPECT_EQ(plan->bytes_read, 2800u);
    EXPECT_EQ(plan->bytes_written, 7u * (16 + 17) * 8);
    EXPECT_GT(plan->predicted_ns, 0u);
    EXPECT_LT(plan->scratch_bytes, std::uint64_t{1} << 20);
    job.params = params_of(16);
    EXPECT_EQ(plan_job(job)->bytes_read, 5600u) << "the range is one more pass";
    for (const std::uint32_t bins : {kMaxBins, 1u})
        EXPECT_LE(plan_job(whole(ElementType::I64, std::uint64_t{1} << 55, params_of(bins)))->scratch_bytes,
                  std::uint64_t{34} << 20);
}

TEST(HistogramRun, RefusesWhatHasNoRange) {
    std::vector<float> x(3000, 2.0f);
    x[2999] = std::numeric_limits<float>::quiet_NaN();
    const Ran nan = run_counting(whole(ElementType::F32, x.size(), params_of(10)), x.data());
    ASSERT_FALSE(nan.report.ok());
    EXPECT_EQ(nan.report.error().status, Status::BadRange);
    EXPECT_EQ(nan.report.error().field, "range");
    EXPECT_NE(nan.report.error().message.find("NaN"), std::string::npos);
    x[2999] = std::numeric_limits<float>::infinity();
    const Ran infinite = run_counting(whole(ElementType::F32, x.size(), params_of(10)), x.data());
    ASSERT_FALSE(infinite.report.ok());
    EXPECT_EQ(infinite.report.error().field, "range");
    EXPECT_EQ(infinite.report.error().message.find("the range of the elements"), 0u);
    // the first such row, whichever thread meets it first
    ThreadPool pool(4);
    std::vector<float> rows(2000 * 30, 1.0f);
    for (const std::size_t row : {1999u, 1203u, 1204u, 1700u})
        rows[row * 30 + 3] = std::numeric_limits<float>::infinity();
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        const Ran ran = run_counting(counting_job(ElementType::F32, Axis::Rows, 2000, 30, params_of(10)),
                                     rows.data(), 0, threads);
        ASSERT_FALSE(ran.report.ok());
        EXPECT_NE(ran.report.error().message.find(" in row 1203"), std::string::npos)
            << ran.report.error().message;
    }
}

TEST(HistogramRun, SaysHowItRan) {
    const std::vector<float> x(500'000, 1.0f);
    ThreadPool pool(3);
    const std::string isa = kernels::cpu_isa();
    const auto policy = [&](ElementType type, const HistogramParams& params, ThreadPool* threads) {
        return run_counting(whole(type, 500'000, params), x.data(), 0, threads).report->policy.text();
    };
    EXPECT_EQ(policy(ElementType::F32, params_of(5, 0, 2), nullptr),
              "cpu " + isa + " threads=1 method=bins passes=1");
    EXPECT_EQ(policy(ElementType::F32, params_of(5), &pool),
              "cpu " + isa + " threads=3 method=bins passes=2");
    EXPECT_EQ(policy(ElementType::U16, params_of(5), &pool),
              "cpu " + isa + " threads=3 method=values passes=1");
}

TEST(HistogramStop, CancelAndDeadlineEndTheRun) {
    const std::vector<float> x(2'000'000, 1.0f);
    for (const HistogramParams& params : {params_of(10), params_of(10, 0, 1)})
        for (const std::uint64_t rows : {1, 4, 2000})
            for (const ElementType type : {ElementType::F32, ElementType::U8, ElementType::U16})
                expect_stops(
                    counting_job(type, rows == 1 ? Axis::Whole : Axis::Rows, rows, x.size() / rows, params),
                    x.data());
}

// Cancelled while it runs: whichever way the race ends, the answer is a result or Cancelled, and it comes.
TEST(HistogramStop, CancelWhileRunning) {
    const std::vector<float> x(3'000'000, 1.0f);
    ThreadPool pool(2);
    for (const std::uint64_t rows : {1, 3000})
        for (const int delay_us : {0, 100, 400}) {
            std::atomic<bool> cancelled{false};
            std::thread other([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
                cancelled.store(true);
            });
            const Ran ran =
                run_counting(counting_job(ElementType::F32, rows == 1 ? Axis::Whole : Axis::Rows, rows,
                                          x.size() / rows, params_of(100)),
                             x.data(), 0, &pool, StopToken(&cancelled, StopToken::Clock::time_point::max()));
            other.join();
            if (!ran.report.ok()) {
                EXPECT_EQ(ran.report.error().status, Status::Cancelled);
            }
        }
}

#if !defined(__SANITIZE_THREAD__)
// The input changes under the run: what comes out is anything, but nothing is read or written beyond the
// arrays.
TEST(HistogramRun, StaysInBoundsWhenTheInputChanges) {
    constexpr std::size_t kElements = 1 << 18;
    std::vector<std::uint64_t> memory(kElements, 0x3ff0000000000000u);
    std::atomic<bool> done{false};
    std::thread writer([&] {
        std::mt19937_64 random(3);
        auto* bytes = reinterpret_cast<volatile std::uint64_t*>(memory.data());
        while (!done.load()) bytes[random() % kElements] = random();
    });
    for (int round = 0; round < 4; ++round)
        for (const ElementType type : {ElementType::U8, ElementType::U16, ElementType::F16, ElementType::I32,
                                       ElementType::F32, ElementType::I64, ElementType::F64})
            for (const HistogramParams& params : {params_of(1000, -1e3, 1e3), params_of(7)}) {
                const Ran ran =
                    run_counting(whole(type, kElements * 8 / element_bytes(type), params), memory.data());
                if (!ran.report.ok()) {
                    EXPECT_EQ(ran.report.error().field, "range");
                }
            }
    done = true;
    writer.join();
}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// 2^32 + 2^20 zeros that are never given memory: one counter of one thread passes 32 bits.
TEST(HistogramRun, CountsMoreThan32Bits) {
    const std::uint64_t n = (std::uint64_t{1} << 32) + (1u << 20);
    void* const zeros = mmap(nullptr, n, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED) GTEST_SKIP() << "no address space for 4 GiB";
    const Ran values = run_counting(whole(ElementType::U8, n, params_of(10, 0, 10)), zeros);
    ASSERT_TRUE(values.report.ok());
    EXPECT_EQ(values.at<std::uint64_t>(0, 0), n);
    EntropyParams entropy;
    const Ran flat =
        run_counting(counting_job(ElementType::U8, Axis::Whole, 1u << 20, n >> 20, entropy), zeros);
    ASSERT_TRUE(flat.report.ok());
    EXPECT_EQ(flat.at<std::uint64_t>(0, 0), 0u);
    munmap(zeros, n);
}
#endif

}  // namespace
}  // namespace tegu::test
