// SPDX-License-Identifier: Apache-2.0
// dot of integers against exact sums of any length: rows, strides, odd addresses, threads, and what does not
// fit the reply.
#include "tests/kernels/dot/run.h"
#include "tests/kernels/execution/exact.h"

namespace tegu::test {
namespace {

using kernels::ThreadPool;

constexpr unsigned kSeed = 20240607;

template <class T>
class DotInteger : public testing::Test {};
using IntegerTypes = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                                    std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(DotInteger, IntegerTypes);

template <class T>
Exact exact_integer(T value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return value < T(0) ? -Exact::integer(0 - bits) : Exact::integer(bits);
}

enum class Values { Any, Small, AllMax, AllMin, Extremes };

template <class T>
std::vector<T> integers(Values values, std::uint64_t n, std::mt19937_64& random) {
    std::vector<T> x;
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t bits = random();
        switch (values) {
            case Values::Any: x.push_back(static_cast<T>(bits)); break;
            case Values::Small:
                x.push_back(static_cast<T>(static_cast<int>(bits % 9) - (T(-1) < T(0) ? 4 : 0)));
                break;
            case Values::AllMax: x.push_back(std::numeric_limits<T>::max()); break;
            case Values::AllMin: x.push_back(std::numeric_limits<T>::min()); break;
            case Values::Extremes:
                x.push_back(bits % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
                break;
        }
    }
    return x;
}

// The result is the exact sum, or the sum does not fit and the error says so.
template <class T>
void expect_exact(const Exact& sum, const JobResult& got) {
    using Reply = std::conditional_t<(T(-1) < T(0)), std::int64_t, std::uint64_t>;
    const bool fits = !(sum < exact_integer(std::numeric_limits<Reply>::min())) &&
                      !(exact_integer(std::numeric_limits<Reply>::max()) < sum);
    ASSERT_EQ(got.report.ok(), fits);
    if (fits) {
        EXPECT_TRUE((exact_integer(got.values<Reply>()[0]) - sum).is_zero());
    } else {
        EXPECT_EQ(got.report.error().status, Status::Overflow);
        EXPECT_EQ(got.report.error().field, "dot");
    }
}

TYPED_TEST(DotInteger, EveryPatternAndSizeIsExactOrRefused) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed);
    ThreadPool two(2);
    ThreadPool seven(7);
    for (Values values : {Values::Any, Values::Small, Values::AllMax, Values::AllMin, Values::Extremes})
        for (std::uint64_t n : kDotSizes) {
            SCOPED_TRACE("seed " + std::to_string(kSeed) + " values " +
                         std::to_string(static_cast<int>(values)) + " n " + std::to_string(n));
            const std::vector<T> x = integers<T>(values, n, random);
            const std::vector<T> y = integers<T>(n % 2 ? values : Values::Small, n, random);
            Exact sum;
            for (std::size_t i = 0; i < n; ++i) sum = sum + exact_integer(x[i]) * exact_integer(y[i]);
            for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &two, &seven}) {
                expect_exact<T>(sum, run_dot(x, y, true, pool));
                if (testing::Test::HasFailure()) return;
            }
        }
}

TYPED_TEST(DotInteger, RowsStridesAndOddAddressesAreExact) {
    using T = TypeParam;
    using Reply = std::conditional_t<(T(-1) < T(0)), std::int64_t, std::uint64_t>;
    std::mt19937_64 random(kSeed + 1);
    ThreadPool pool(3);
    const std::uint64_t shapes[][4] = {
        {1, 1, 1, 1}, {9, 3, 4, 3}, {300, 17, 19, 18}, {20, 1024, 1027, 1024}, {3, 16400, 16401, 16403}};
    for (const auto& shape : shapes)
        for (std::size_t offset : {0, 1, 5}) {
            const std::uint64_t rows = shape[0], cols = shape[1];
            const std::vector<T> x =
                integers<T>(sizeof(T) < 4 ? Values::Any : Values::Small, rows * cols, random);
            const std::vector<T> y = integers<T>(Values::Small, rows * cols, random);
            const StridedArray<T> a(x, rows, cols, shape[2], offset, T(77)),
                b(y, rows, cols, shape[3], 3 * offset, T(77));
            std::vector<Reply> want(rows);
            Reply total = 0;
            for (std::uint64_t i = 0; i < rows * cols; ++i) {
                const Reply product = static_cast<Reply>(x[i]) * static_cast<Reply>(y[i]);
                want[i / cols] += product;
                total += product;
            }
            for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
                Job job = job_of<T>(rows, cols, Axis::Rows, DotParams{});
                EXPECT_EQ(run_elementwise(job, {a.view(), b.view()}, threads).template values<Reply>(), want);
                job.axis = Axis::Whole;
                EXPECT_EQ(run_elementwise(job, {a.view(), b.view()}, threads).template values<Reply>()[0],
                          total);
            }
            if (testing::Test::HasFailure()) return;
        }
}

TEST(DotOverflow, NamesTheValueAndTheFirstRow) {
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    const JobResult low = run_dot<std::int64_t>({kMin, kMin, 5}, {kMin, kMin, -1});
    ASSERT_FALSE(low.report.ok());
    EXPECT_EQ(low.report.error().status, Status::Overflow);
    EXPECT_EQ(low.report.error().field, "dot");
    EXPECT_EQ(low.report.error().allowed, "-2^63..2^63-1");
    EXPECT_EQ(low.report.error().message,
              "dot is 170141183460469231731687303715884105723 and does not fit i64");
    const JobResult negative = run_dot<std::int64_t>({kMin, kMin, kMin}, {2, 2, 2});
    EXPECT_EQ(negative.report.error().message, "dot is -55340232221128654848 and does not fit i64");
    const JobResult high = run_dot<std::uint64_t>({kMax, kMax, kMax}, {kMax, kMax, kMax});
    EXPECT_EQ(high.report.error().allowed, "0..2^64-1");
    EXPECT_EQ(high.report.error().message,
              "dot is 1020847100762815390279443357853047324675 and does not fit u64");
    // what overflows on the way but not in the end is exact
    EXPECT_EQ(run_dot<std::int64_t>({kMin, kMin, kMin, kMin}, {kMin, kMin, kMin, kMin}).report.ok(), false);
    EXPECT_EQ(run_dot<std::int64_t>({kMin, kMin, 7}, {kMin + 1, -(kMin + 1), 3}).values<std::int64_t>()[0],
              21);
    EXPECT_EQ(run_dot<std::int64_t>({kMin}, {1}).values<std::int64_t>()[0], kMin);
    EXPECT_EQ(run_dot<std::uint64_t>({kMax / 5, kMax / 5}, {4, 1}).values<std::uint64_t>()[0], kMax);

    std::vector<std::uint64_t> x(4000 * 2, 1);
    for (std::size_t r : {1234u, 3999u}) x[2 * r] = kMax;
    ThreadPool pool(4);
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        const Job job = job_of<std::uint64_t>(4000, 2, Axis::Rows, DotParams{});
        const std::vector<std::uint64_t> ones(x.size(), 1);
        const JobResult by_row = run_elementwise(job, {dense_view(x, 2), dense_view(ones, 2)}, threads);
        ASSERT_FALSE(by_row.report.ok());
        EXPECT_EQ(by_row.report.error().message,
                  "dot is 18446744073709551616 and does not fit u64 in row 1234");
    }
}

}  // namespace
}  // namespace tegu::test
