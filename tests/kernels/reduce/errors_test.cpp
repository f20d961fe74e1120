// SPDX-License-Identifier: Apache-2.0
// What reduce refuses, what an empty segment has, sums that do not fit, and runs that are stopped or whose
// input changes.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "tests/kernels/reduce/run.h"

namespace tegu::test {
namespace {

using kernels::JobPlan;
using kernels::plan_job;
using kernels::StopToken;
using kernels::ThreadPool;

constexpr StatisticSet kDefinedForEmpty = (1u << 0) | (1u << 1) | (1u << 13) | (1u << 14);

Error plan_error(const Job& job) {
    const Result<JobPlan> plan = plan_job(job);
    EXPECT_FALSE(plan.ok());
    return plan ? Error{} : plan.error();
}

TEST(ReducePlan, RefusesWhatItDoesNotKnow) {
    const Error none = plan_error(reduce_job(ElementType::F32, 10, 0));
    EXPECT_EQ(none.status, Status::BadRange);
    EXPECT_EQ(none.field, "statistics");
    EXPECT_NE(none.allowed.find("minmax"), std::string::npos);
    const Error unknown = plan_error(reduce_job(ElementType::F32, 10, kAllStatistics + 1));
    EXPECT_EQ(unknown.status, Status::Unsupported);
    EXPECT_EQ(unknown.field, "statistics");
    const Error ddof = plan_error(reduce_job(ElementType::F32, 10, kAllStatistics, false, 2));
    EXPECT_EQ(ddof.status, Status::BadRange);
    EXPECT_EQ(ddof.field, "ddof");
    EXPECT_NE(ddof.message.find('2'), std::string::npos);
    Job tall = reduce_rows_job(ElementType::U8, std::uint64_t{1} << 60, 0, set_of({Statistic::Count}));
    EXPECT_EQ(plan_error(tall).status, Status::TooLarge);
    EXPECT_EQ(plan_error(tall).field, "rows");
}

TEST(ReducePlan, NamesTheStatisticThatAnEmptySegmentLacks) {
    for (const StatisticInfo& info : kStatisticInfos) {
        const StatisticSet bit = statistic_bit(info.statistic);
        for (const Job& job :
             {reduce_job(ElementType::F32, 0, bit | 1u), reduce_rows_job(ElementType::I16, 4, 0, bit | 1u)}) {
            const Result<JobPlan> plan = plan_job(job);
            if (bit & kDefinedForEmpty) {
                EXPECT_TRUE(plan.ok()) << info.word;
                continue;
            }
            ASSERT_FALSE(plan.ok()) << info.word;
            EXPECT_EQ(plan.error().status, Status::EmptyInput);
            EXPECT_EQ(plan.error().field, "statistics");
            EXPECT_EQ(plan.error().message.find(std::string(info.word) + " "), 0u) << plan.error().message;
            EXPECT_EQ(plan.error().allowed, "count, sum, nonzero, nans");
        }
    }
}

TEST(ReducePlan, TellsTypesAndShapesOfTheReply) {
    const auto type_of = [](ElementType element, Statistic statistic) {
        const Result<JobPlan> plan = plan_job(reduce_job(element, 3, statistic_bit(statistic)));
        EXPECT_TRUE(plan.ok());
        return plan->outputs[0].type;
    };
    EXPECT_EQ(type_of(ElementType::U8, Statistic::Sum), ElementType::U64);
    EXPECT_EQ(type_of(ElementType::I32, Statistic::Sum), ElementType::I64);
    EXPECT_EQ(type_of(ElementType::F16, Statistic::Sum), ElementType::F64);
    EXPECT_EQ(type_of(ElementType::I64, Statistic::L1), ElementType::U64);
    EXPECT_EQ(type_of(ElementType::I8, Statistic::Absmax), ElementType::U8);
    EXPECT_EQ(type_of(ElementType::U16, Statistic::Absmax), ElementType::U16);
    EXPECT_EQ(type_of(ElementType::F16, Statistic::Absmax), ElementType::F16);
    EXPECT_EQ(type_of(ElementType::F64, Statistic::Minmax), ElementType::F64);
    EXPECT_EQ(type_of(ElementType::I8, Statistic::Mean), ElementType::F64);
    EXPECT_EQ(type_of(ElementType::I8, Statistic::Argmax), ElementType::I64);
    EXPECT_EQ(type_of(ElementType::F32, Statistic::Nans), ElementType::U64);

    const Result<JobPlan> plan = plan_job(reduce_rows_job(ElementType::F32, 7, 100, kAllStatistics));
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->outputs.size(), static_cast<std::size_t>(kStatisticCount));
    std::uint64_t written = 0;
    for (int i = 0; i < kStatisticCount; ++i) {
        const ArraySpec& spec = plan->outputs[static_cast<std::size_t>(i)];
        EXPECT_EQ(spec.role, role_of(kStatisticInfos[i].statistic));
        EXPECT_EQ(spec.rows, 7u);
        EXPECT_EQ(spec.cols, static_cast<std::uint64_t>(kStatisticInfos[i].values_per_row));
        written += array_bytes(spec);
    }
    EXPECT_EQ(plan->bytes_written, written);
    EXPECT_EQ(plan->bytes_read, 2800u);
    EXPECT_GT(plan->predicted_ns, 0u);
}

TEST(ReducePlan, ScratchIsBounded) {
    const Result<JobPlan> small = plan_job(reduce_job(ElementType::F32, 1000, kAllStatistics));
    const Result<JobPlan> huge =
        plan_job(reduce_job(ElementType::F32, std::uint64_t{1} << 55, kAllStatistics));
    ASSERT_TRUE(small.ok());
    ASSERT_TRUE(huge.ok());
    EXPECT_LT(small->scratch_bytes, 1024u);
    EXPECT_LT(huge->scratch_bytes, std::uint64_t{1} << 20);
    EXPECT_GT(huge->predicted_ns, small->predicted_ns);
}

TEST(ReduceEmpty, GivesZeros) {
    for (ElementType type :
         {ElementType::F16, ElementType::F32, ElementType::F64, ElementType::U8, ElementType::I64}) {
        const ReduceResult whole = run_reduce_job(reduce_job(type, 0, kDefinedForEmpty), nullptr);
        ASSERT_TRUE(whole.report.ok());
        for (Statistic s : {Statistic::Count, Statistic::Sum, Statistic::Nonzero, Statistic::Nans})
            EXPECT_EQ(whole.at<std::uint64_t>(s), 0u);
        const ReduceResult rows = run_reduce_job(reduce_rows_job(type, 3, 0, kDefinedForEmpty), nullptr);
        ASSERT_TRUE(rows.report.ok());
        for (std::uint64_t r = 0; r < 3; ++r) EXPECT_EQ(rows.at<std::uint64_t>(Statistic::Sum, r), 0u);
        const ReduceResult none = run_reduce_job(reduce_rows_job(type, 0, 5, kAllStatistics), nullptr);
        ASSERT_TRUE(none.report.ok());
        EXPECT_EQ(none.plan.outputs[0].rows, 0u);
        EXPECT_EQ(none.arrays[0][0], 0xa5a5a5a5a5a5a5a5u) << "nothing is written";
    }
}

TEST(ReduceSkipNans, OnlyNansGiveNanZerosAndMinusOne) {
    const std::vector<float> x(2000, std::numeric_limits<float>::quiet_NaN());
    const ReduceResult got =
        run_reduce_job(reduce_job(ElementType::F32, x.size(), kAllStatistics, true), x.data());
    ASSERT_TRUE(got.report.ok());
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::Count), 0u);
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::Nonzero), 0u);
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::Nans), 2000u);
    EXPECT_EQ(got.at<double>(Statistic::Sum), 0);
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmin), -1);
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmax), -1);
    for (Statistic s : {Statistic::Mean, Statistic::L1, Statistic::L2, Statistic::Var, Statistic::Std})
        EXPECT_EQ(got.at<std::uint64_t>(s), 0x7ff8000000000000u) << static_cast<int>(s);
    for (Statistic s : {Statistic::Min, Statistic::Max, Statistic::Absmax})
        EXPECT_EQ(got.at<std::uint32_t>(s), 0x7fc00000u);
}

TEST(ReduceOverflow, NamesStatisticValueAndRow) {
    std::vector<std::int64_t> x(6, 1);
    x[2] = x[3] = std::numeric_limits<std::int64_t>::max();
    const ReduceResult whole =
        run_reduce_job(reduce_job(ElementType::I64, 6, set_of({Statistic::Sum, Statistic::Mean})), x.data());
    ASSERT_FALSE(whole.report.ok());
    EXPECT_EQ(whole.report.error().status, Status::Overflow);
    EXPECT_EQ(whole.report.error().field, "sum");
    EXPECT_NE(whole.report.error().message.find("18446744073709551618"), std::string::npos)
        << whole.report.error().message;
    // the mean alone does not need the sum to fit
    EXPECT_TRUE(
        run_reduce_job(reduce_job(ElementType::I64, 6, set_of({Statistic::Mean})), x.data()).report.ok());
    // what overflows on the way but not in the end is exact
    x[4] = std::numeric_limits<std::int64_t>::min();
    x[5] = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(run_reduce_job(reduce_job(ElementType::I64, 6, set_of({Statistic::Sum})), x.data())
                  .at<std::int64_t>(Statistic::Sum),
              0);
    const ReduceResult l1 =
        run_reduce_job(reduce_job(ElementType::I64, 6, set_of({Statistic::L1})), x.data());
    ASSERT_FALSE(l1.report.ok());
    EXPECT_EQ(l1.report.error().field, "l1");

    std::vector<std::uint64_t> rows(4000 * 2, 1);
    for (std::size_t r : {1234u, 3999u}) rows[2 * r] = std::numeric_limits<std::uint64_t>::max();
    ThreadPool pool(4);
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        const ReduceResult by_row = run_reduce_job(
            reduce_rows_job(ElementType::U64, 4000, 2, set_of({Statistic::Sum})), rows.data(), 0, threads);
        ASSERT_FALSE(by_row.report.ok());
        EXPECT_EQ(by_row.report.error().status, Status::Overflow);
        EXPECT_NE(by_row.report.error().message.find("row 1234"), std::string::npos)
            << by_row.report.error().message;
        EXPECT_NE(by_row.report.error().message.find("18446744073709551616"), std::string::npos);
    }
}

TEST(ReduceOverflow, LargestSumsThatFit) {
    const std::uint64_t u[] = {std::numeric_limits<std::uint64_t>::max() - 1, 1};
    EXPECT_EQ(run_reduce_job(reduce_job(ElementType::U64, 2, set_of({Statistic::Sum, Statistic::L1})), u)
                  .at<std::uint64_t>(Statistic::Sum),
              std::numeric_limits<std::uint64_t>::max());
    const std::int64_t low[] = {std::numeric_limits<std::int64_t>::min()};
    const ReduceResult min = run_reduce_job(reduce_job(ElementType::I64, 1, kAllStatistics), low);
    ASSERT_TRUE(min.report.ok());
    EXPECT_EQ(min.at<std::int64_t>(Statistic::Sum), low[0]);
    EXPECT_EQ(min.at<std::uint64_t>(Statistic::L1), std::uint64_t{1} << 63);
    EXPECT_EQ(min.at<std::uint64_t>(Statistic::Absmax), std::uint64_t{1} << 63);
    EXPECT_EQ(min.at<double>(Statistic::Mean), -0x1p63);
    EXPECT_EQ(min.at<double>(Statistic::L2), 0x1p63);
    EXPECT_EQ(min.at<double>(Statistic::Var), 0);
}

TEST(ReduceStop, CancelAndDeadlineEndTheRun) {
    const std::vector<float> x(4'000'000, 1.0f);
    std::atomic<bool> cancelled{true};
    const StopToken cancel(&cancelled, StopToken::Clock::time_point::max());
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    ThreadPool pool(3);
    Job whole = reduce_job(ElementType::F32, x.size(), kAllStatistics);
    Job short_rows = reduce_rows_job(ElementType::F32, 4000, 1000, kAllStatistics);
    Job long_rows = reduce_rows_job(ElementType::F32, 4, 1000000, kAllStatistics);
    for (const Job& job : {whole, short_rows, long_rows})
        for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
            const ReduceResult stopped = run_reduce_job(job, x.data(), 0, threads, cancel);
            ASSERT_FALSE(stopped.report.ok());
            EXPECT_EQ(stopped.report.error().status, Status::Cancelled);
            const ReduceResult expired = run_reduce_job(job, x.data(), 0, threads, late);
            ASSERT_FALSE(expired.report.ok());
            EXPECT_EQ(expired.report.error().status, Status::DeadlineExceeded);
        }
}

// Cancelled while it runs: whichever way the race ends, the answer is a result or Cancelled, and it comes.
TEST(ReduceStop, CancelWhileRunning) {
    const std::vector<float> x(3'000'000, 1.0f);
    ThreadPool pool(2);
    for (const Job& job : {reduce_job(ElementType::F32, x.size(), kAllStatistics),
                           reduce_rows_job(ElementType::F32, 3000, 1000, kAllStatistics),
                           reduce_rows_job(ElementType::F32, 2, 1500000, kAllStatistics)})
        for (int delay_us : {0, 100, 400}) {
            std::atomic<bool> cancelled{false};
            std::thread other([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
                cancelled.store(true);
            });
            const ReduceResult got = run_reduce_job(
                job, x.data(), 0, &pool, StopToken(&cancelled, StopToken::Clock::time_point::max()));
            other.join();
            if (!got.report.ok()) {
                EXPECT_EQ(got.report.error().status, Status::Cancelled);
            }
        }
}

TEST(ReduceReport, SaysHowItRan) {
    const std::vector<float> x(500'000, 1.0f);
    ThreadPool pool(3);
    const Job job = reduce_job(ElementType::F32, x.size(), set_of({Statistic::Sum, Statistic::Minmax}));
    const ReduceResult one = run_reduce_job(job, x.data());
    const ReduceResult many = run_reduce_job(job, x.data(), 0, &pool);
    ASSERT_TRUE(one.report.ok());
    ASSERT_TRUE(many.report.ok());
    EXPECT_EQ(one.report->policy.text(), std::string("cpu ") + kernels::cpu_isa() + " threads=1 tile=1024");
    EXPECT_EQ(many.report->policy.text(), std::string("cpu ") + kernels::cpu_isa() + " threads=3 tile=1024");
    EXPECT_EQ(one.report->filled_columns, (std::vector<std::uint64_t>{1, 2}));
}

}  // namespace
}  // namespace tegu::test
