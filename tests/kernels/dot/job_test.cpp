// SPDX-License-Identifier: Apache-2.0
// dot as a job: its plan, empty inputs, stopping, more than 2^32 elements, and what its report says.
#include "kernels/execution/cpu/isa.h"
#include "tests/kernels/dot/run.h"

namespace tegu::test {
namespace {

using kernels::InputView;
using kernels::StopToken;
using kernels::ThreadPool;

TEST(DotPlan, TellsTypeAndShapeOfTheReply) {
    const auto type_of = [](ElementType type) {
        Job job = dot_job<float>(3);
        job.type = type;
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        EXPECT_TRUE(plan.ok());
        return plan->outputs[0].type;
    };
    for (ElementType type : {ElementType::U8, ElementType::U16, ElementType::U32, ElementType::U64})
        EXPECT_EQ(type_of(type), ElementType::U64);
    for (ElementType type : {ElementType::I8, ElementType::I16, ElementType::I32, ElementType::I64})
        EXPECT_EQ(type_of(type), ElementType::I64);
    for (ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64})
        EXPECT_EQ(type_of(type), ElementType::F64);

    const Result<kernels::JobPlan> rows = kernels::plan_job(job_of<float>(7, 100, Axis::Rows, DotParams{}));
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->outputs.size(), 1u);
    EXPECT_EQ(rows->outputs[0].role, ArrayRole::Dot);
    EXPECT_EQ(rows->outputs[0].rows, 7u);
    EXPECT_EQ(rows->outputs[0].cols, 1u);
    EXPECT_EQ(rows->bytes_read, 5600u);
    EXPECT_EQ(rows->bytes_written, 56u);
    EXPECT_FALSE(rows->in_place);
    const Result<kernels::JobPlan> huge = kernels::plan_job(dot_job<float>(std::uint64_t{1} << 55));
    ASSERT_TRUE(huge.ok());
    EXPECT_LT(huge->scratch_bytes, std::uint64_t{1} << 20);
    EXPECT_GT(huge->predicted_ns, rows->predicted_ns);
    const Result<kernels::JobPlan> tall =
        kernels::plan_job(job_of<std::uint8_t>(std::uint64_t{1} << 60, 0, Axis::Rows, DotParams{}));
    ASSERT_FALSE(tall.ok());
    EXPECT_EQ(tall.error().status, Status::TooLarge);
    EXPECT_EQ(tall.error().field, "rows");
}

TEST(DotEmpty, IsZero) {
    const InputView none{nullptr, 0};
    EXPECT_EQ(bits_of(run_elementwise(dot_job<float>(0), {none, none}).values<double>()[0]), bits_of(0.0));
    EXPECT_EQ(run_elementwise(dot_job<std::int8_t>(0), {none, none}).values<std::int64_t>()[0], 0);
    const JobResult rows = run_elementwise(job_of<float>(3, 0, Axis::Rows, DotParams{}), {none, none});
    EXPECT_EQ(rows.values<double>(), std::vector<double>(3, 0.0));
    const JobResult no_rows = run_elementwise(job_of<float>(0, 5, Axis::Rows, DotParams{}),
                                              {InputView{nullptr, 5}, InputView{nullptr, 5}});
    ASSERT_TRUE(no_rows.report.ok());
    EXPECT_EQ(no_rows.arrays[0][0], 0xa5a5a5a5a5a5a5a5u) << "nothing is written";
}

TEST(DotStop, CancelAndDeadlineEndTheRun) {
    const std::vector<float> x(1'200'000, 1.0f);
    std::atomic<bool> cancelled{true};
    const StopToken cancel(&cancelled, StopToken::Clock::time_point::max());
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    ThreadPool pool(3);
    for (const auto& shape :
         {std::pair<std::uint64_t, std::uint64_t>{1, 1200000}, {1200, 1000}, {4, 300000}}) {
        const Job job = job_of<float>(shape.first, shape.second, shape.first == 1 ? Axis::Whole : Axis::Rows,
                                      DotParams{});
        const std::vector<InputView> inputs = {dense_view(x, shape.second), dense_view(x, shape.second)};
        for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
            EXPECT_EQ(run_elementwise(job, inputs, threads, cancel).report.error().status, Status::Cancelled);
            EXPECT_EQ(run_elementwise(job, inputs, threads, late).report.error().status,
                      Status::DeadlineExceeded);
        }
    }
}

// 2^32 elements and a few more, and a deadline in the middle of them.
TEST(DotHuge, BeyondTwoToThe32) {
    const std::uint64_t n = (std::uint64_t{1} << 32) + 1000;
    const RepeatedMemory x(n), y(n);
    if (!x.ok() || !y.ok()) GTEST_SKIP() << "no memory for windows";
    x.fill(1);
    y.fill(3);
    x.data()[n - 1] = std::byte{200};
    x.data()[n] = std::byte{99};  // behind the end
    const std::vector<InputView> inputs = {InputView{x.data(), n}, InputView{y.data(), n}};
    ThreadPool pool(2);
    const JobResult got = run_elementwise(dot_job<std::uint8_t>(n), inputs, &pool);
    ASSERT_TRUE(got.report.ok());
    EXPECT_EQ(got.values<std::uint64_t>()[0], 3 * (n - 1) + 600);
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        const StopToken late(nullptr, StopToken::Clock::now() + std::chrono::milliseconds(2));
        const JobResult stopped = run_elementwise(dot_job<std::uint8_t>(n), inputs, threads, late);
        ASSERT_FALSE(stopped.report.ok());
        EXPECT_EQ(stopped.report.error().status, Status::DeadlineExceeded);
    }
}

TEST(DotReport, SaysHowItRan) {
    const std::vector<float> x(500'000, 1.0f);
    ThreadPool pool(3);
    const std::string isa = std::string("cpu ") + kernels::cpu_isa();
    EXPECT_EQ(run_dot(x, x).report->policy.text(), isa + " threads=1 tile=1024");
    EXPECT_EQ(run_dot(x, x, false, &pool).report->policy.text(), isa + " threads=3 tile=1024");
    EXPECT_EQ(run_dot(x, x).report->filled_columns, std::vector<std::uint64_t>{1});
}

}  // namespace
}  // namespace tegu::test
