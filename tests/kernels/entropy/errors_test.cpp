// SPDX-License-Identifier: Apache-2.0
// What entropy refuses before it runs and while it runs, what a plan promises, and runs that are stopped.
#include <atomic>
#include <cmath>
#include <limits>

#include "kernels/execution/cpu/isa.h"
#include "tests/kernels/counting/counting_run.h"

namespace tegu::test {
namespace {

using kernels::JobPlan;
using kernels::plan_job;
using kernels::StopToken;
using kernels::ThreadPool;

EntropyParams params_of(std::uint32_t levels) {
    EntropyParams params;
    params.levels = levels;
    return params;
}

EntropyParams params_of(std::uint32_t levels, double lo, double hi) {
    return with_range(params_of(levels), lo, hi);
}

Job whole(ElementType type, std::uint64_t n, const EntropyParams& params) {
    return counting_job(type, Axis::Whole, 1, n, params);
}

TEST(EntropyPlan, RefusesLevelsBasesAndRanges) {
    for (const std::uint32_t levels : {0u, 1u, 65537u}) {
        const Error error = plan_error(whole(ElementType::F32, 10, params_of(levels)));
        EXPECT_EQ(error.status, Status::BadRange);
        EXPECT_EQ(error.field, "levels");
        EXPECT_EQ(error.allowed, "2..65536");
    }
    EntropyParams base = params_of(4);
    base.base = static_cast<LogBase>(2);
    EXPECT_EQ(plan_error(whole(ElementType::U8, 10, base)).status, Status::BadRange);
    EXPECT_EQ(plan_error(whole(ElementType::U8, 10, base)).field, "base");
    const double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
    const double ranges[][2] = {{1, 0}, {1, 1}, {nan, 1}, {0, nan}, {-inf, 0}, {0, inf}, {-1e300, 1e300}};
    for (const auto& range : ranges)
        for (const ElementType type :
             {ElementType::U8, ElementType::I64, ElementType::F32, ElementType::F64}) {
            const Error error = plan_error(whole(type, 10, params_of(4, range[0], range[1])));
            EXPECT_EQ(error.status, Status::BadRange) << range[0] << " " << range[1];
            EXPECT_EQ(error.field, "range");
            EXPECT_FALSE(error.allowed.empty());
        }
}

TEST(EntropyPlan, RefusesEmptySegments) {
    for (const Job& job : {whole(ElementType::U8, 0, params_of(4)),
                           counting_job(ElementType::F32, Axis::Rows, 3, 0, params_of(4)),
                           counting_job(ElementType::F32, Axis::Whole, 0, 3, params_of(4))}) {
        const Error error = plan_error(job);
        EXPECT_EQ(error.status, Status::EmptyInput);
        EXPECT_EQ(error.field, job.rows == 0 ? "rows" : "cols");
    }
    const Ran none = run_counting(counting_job(ElementType::F32, Axis::Rows, 0, 3, params_of(4)), nullptr);
    ASSERT_TRUE(none.report.ok());
    EXPECT_EQ(none.plan.outputs[0].rows, 0u);
    EXPECT_EQ(none.arrays[0][0], 0xa5a5a5a5a5a5a5a5u) << "nothing is written";
}

TEST(EntropyPlan, TellsTypesShapesAndCosts) {
    const Result<JobPlan> plan = plan_job(counting_job(ElementType::F32, Axis::Rows, 7, 100, params_of(16)));
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->outputs.size(), 1u);
    EXPECT_EQ(plan->outputs[0].role, ArrayRole::Entropy);
    EXPECT_EQ(plan->outputs[0].type, ElementType::F64);
    EXPECT_EQ(plan->outputs[0].rows, 7u);
    EXPECT_EQ(plan->outputs[0].cols, 1u);
    EXPECT_EQ(plan->bytes_read, 5600u);
    EXPECT_EQ(plan->bytes_written, 56u);
    EXPECT_GT(plan->predicted_ns, 0u);
    EXPECT_LE(plan_job(whole(ElementType::U16, std::uint64_t{1} << 55, params_of(65536)))->scratch_bytes,
              std::uint64_t{34} << 20);
    EXPECT_EQ(plan_job(whole(ElementType::F32, 100, params_of(16, 0, 1)))->bytes_read, 400u);
    EXPECT_EQ(plan_job(whole(ElementType::I32, 100, params_of(16)))->bytes_read, 400u);
}

TEST(EntropyRun, RefusesARangeInTheDataThatF32CannotHold) {
    std::vector<float> x(3 * 2000, 1.0f);
    for (const std::size_t i : {2000, 2001, 4000}) x[i] = i % 2 == 0 ? -3e38f : 3e38f;
    const Ran ran =
        run_counting(counting_job(ElementType::F32, Axis::Rows, 3, 2000, params_of(10)), x.data());
    ASSERT_FALSE(ran.report.ok());
    EXPECT_EQ(ran.report.error().status, Status::BadRange);
    EXPECT_EQ(ran.report.error().field, "range");
    EXPECT_NE(ran.report.error().message.find(" in row 1"), std::string::npos);
}

TEST(EntropyRun, SaysHowItRan) {
    const std::vector<float> x(500'000, 1.0f);
    ThreadPool pool(3);
    const std::string isa = kernels::cpu_isa();
    const auto policy = [&](ElementType type, const EntropyParams& params, ThreadPool* threads) {
        return run_counting(whole(type, 500'000, params), x.data(), 0, threads).report->policy.text();
    };
    EXPECT_EQ(policy(ElementType::F32, params_of(5, 0, 2), nullptr),
              "cpu " + isa + " threads=1 method=levels passes=1");
    EXPECT_EQ(policy(ElementType::F32, params_of(5), &pool),
              "cpu " + isa + " threads=3 method=levels passes=2");
    EXPECT_EQ(policy(ElementType::F16, params_of(5), &pool),
              "cpu " + isa + " threads=3 method=values passes=1");
}

TEST(EntropyStop, CancelAndDeadlineEndTheRun) {
    const std::vector<float> x(2'000'000, 1.0f);
    for (const std::uint64_t rows : {1, 4, 2000})
        for (const ElementType type : {ElementType::F32, ElementType::U8, ElementType::F16})
            expect_stops(counting_job(type, rows == 1 ? Axis::Whole : Axis::Rows, rows, x.size() / rows,
                                      params_of(10)),
                         x.data());
}

}  // namespace
}  // namespace tegu::test
