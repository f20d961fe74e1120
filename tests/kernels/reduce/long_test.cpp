// SPDX-License-Identifier: Apache-2.0
// reduce of more than 2^32 elements, most of which share their memory: sums, counts and positions beyond 32
// bits, and a deadline in their midst.
#include "tests/kernels/execution/elementwise_run.h"
#include "tests/kernels/reduce/run.h"

namespace tegu::test {
namespace {

using kernels::StopToken;
using kernels::ThreadPool;

TEST(ReduceLong, BytesBeyondTwoToThe32) {
    const std::uint64_t n = (std::uint64_t{1} << 32) + 1000;
    const RepeatedMemory x(n);
    if (!x.ok()) GTEST_SKIP() << "no memory for windows";
    x.fill(2);
    x.data()[n - 2] = std::byte{0};
    x.data()[n - 1] = std::byte{200};
    x.data()[n] = std::byte{255};  // behind the end
    // few loops over the data: sanitizers make each expensive
    const Job job = reduce_job(ElementType::U8, n,
                               set_of({Statistic::Count, Statistic::Sum, Statistic::Mean, Statistic::Min,
                                       Statistic::Max, Statistic::Argmin, Statistic::Argmax}));
    ThreadPool pool(2);
    const ReduceResult got = run_reduce_job(job, x.data(), 0, &pool);
    ASSERT_TRUE(got.report.ok());
    const std::uint64_t sum = 2 * (n - 2) + 200;
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::Count), n);
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::Sum), sum);
    EXPECT_EQ(got.at<std::uint8_t>(Statistic::Min), 0);
    EXPECT_EQ(got.at<std::uint8_t>(Statistic::Max), 200);
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmin), static_cast<std::int64_t>(n - 2));
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmax), static_cast<std::int64_t>(n - 1));
    EXPECT_EQ(got.at<double>(Statistic::Mean), static_cast<double>(sum) / static_cast<double>(n));
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        const StopToken late(nullptr, StopToken::Clock::now() + std::chrono::milliseconds(2));
        const ReduceResult stopped = run_reduce_job(job, x.data(), 0, threads, late);
        ASSERT_FALSE(stopped.report.ok());
        EXPECT_EQ(stopped.report.error().status, Status::DeadlineExceeded);
    }
}

TEST(ReduceLong, HalvesBeyondTwoToThe31) {
    constexpr std::uint16_t kOne = 0x3c00, kMinusThree = 0xc200;
    const std::uint64_t n = (std::uint64_t{1} << 31) + 3;
    const RepeatedMemory x(n * sizeof kOne);
    if (!x.ok()) GTEST_SKIP() << "no memory for windows";
    const auto set = [&](std::uint64_t i, std::uint16_t half) {
        std::memcpy(x.data() + i * sizeof half, &half, sizeof half);
    };
    constexpr std::uint64_t kWindow = RepeatedMemory::kWindow / sizeof kOne;
    for (std::uint64_t i = 0; i < kWindow; ++i) set(i, kOne);  // all windows but the last
    for (std::uint64_t i = n - n % kWindow; i < n; ++i) set(i, i + 1 == n ? kMinusThree : kOne);
    const StatisticSet wanted =
        set_of({Statistic::Sum, Statistic::Argmin, Statistic::Min, Statistic::Argmax});
    ThreadPool pool(2);
    const ReduceResult got = run_reduce_job(reduce_job(ElementType::F16, n, wanted), x.data(), 0, &pool);
    ASSERT_TRUE(got.report.ok());
    EXPECT_EQ(got.at<double>(Statistic::Sum), static_cast<double>(n - 4));
    EXPECT_EQ(got.at<std::uint16_t>(Statistic::Min), kMinusThree);
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmin), static_cast<std::int64_t>(n - 1));
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmax), 0);
}

}  // namespace
}  // namespace tegu::test
