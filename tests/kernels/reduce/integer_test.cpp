// SPDX-License-Identifier: Apache-2.0
// reduce of integers against 128-bit arithmetic: element types, sizes around every boundary, patterns, rows
// with strides, odd alignments, threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "tests/kernels/reduce/reference.h"
#include "tests/kernels/reduce/run.h"

namespace tegu::test {
namespace {

using kernels::ThreadPool;

constexpr unsigned kSeed = 20240505;

template <class T>
class ReduceInteger : public testing::Test {};
using IntegerTypes = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                                    std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(ReduceInteger, IntegerTypes);

enum class Values { Any, Small, Zeros, AllMax, AllMin, Extremes };

template <class T>
std::vector<T> integer_data(Values values, std::uint64_t n, std::mt19937_64& random) {
    std::vector<T> x;
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t bits = random();
        switch (values) {
            case Values::Any: x.push_back(static_cast<T>(bits)); break;
            case Values::Small: x.push_back(static_cast<T>(bits % 5)); break;
            case Values::Zeros: x.push_back(T(0)); break;
            case Values::AllMax: x.push_back(std::numeric_limits<T>::max()); break;
            case Values::AllMin: x.push_back(std::numeric_limits<T>::min()); break;
            case Values::Extremes:
                x.push_back(bits % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
                break;
        }
    }
    return x;
}

// The value of numerator / denominator must be the nearest f64: no neighbour is closer. Exact for values
// below 2^100.
bool is_nearest(double got, Wide numerator, Wide denominator) {
    const double up = std::nextafter(got, std::numeric_limits<double>::infinity());
    const double down = std::nextafter(got, -std::numeric_limits<double>::infinity());
    // Doubles near a quotient of such integers are multiples of 2^-64 of at most 2^64 when the quotient is
    // below 2^60; long double carries 64 bits, which is enough to separate the candidates from the quotient
    // computed as integer and remainder.
    const long double whole = static_cast<long double>(static_cast<std::int64_t>(numerator / denominator));
    const long double rest = static_cast<long double>(static_cast<std::int64_t>(numerator % denominator)) /
                             static_cast<long double>(static_cast<std::int64_t>(denominator));
    const auto distance = [&](double candidate) {
        return std::fabs((static_cast<long double>(candidate) - whole) - rest);
    };
    return distance(got) <= distance(up) && distance(got) <= distance(down);
}

template <class T>
void expect_integers(const std::vector<T>& x, const ReduceResult& got, std::uint64_t row,
                     std::uint32_t ddof) {
    using Unsigned = std::make_unsigned_t<T>;
    Wide sum = 0, l1 = 0, squares = 0;
    std::uint64_t nonzero = 0;
    std::size_t low = 0, high = 0;
    Unsigned absmax = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Wide v = x[i];
        const Wide magnitude = v < 0 ? -v : v;
        sum += v;
        l1 += magnitude;
        if (sizeof(T) < 8) squares += v * v;
        nonzero += v != 0;
        if (x[i] < x[low]) low = i;
        if (x[i] > x[high]) high = i;
        if (static_cast<Unsigned>(magnitude) > absmax) absmax = static_cast<Unsigned>(magnitude);
    }
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::Count, row), x.size());
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::Nans, row), 0u);
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::Nonzero, row), nonzero);
    EXPECT_EQ(got.at<T>(Statistic::Min, row), x[low]);
    EXPECT_EQ(got.at<T>(Statistic::Max, row), x[high]);
    EXPECT_EQ(got.at<T>(Statistic::Minmax, 2 * row), x[low]);
    EXPECT_EQ(got.at<T>(Statistic::Minmax, 2 * row + 1), x[high]);
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmin, row), static_cast<std::int64_t>(low));
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmax, row), static_cast<std::int64_t>(high));
    EXPECT_EQ(got.at<Unsigned>(Statistic::Absmax, row), absmax);
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::L1, row), static_cast<std::uint64_t>(l1));
    // the same 64 bits for i64
    EXPECT_EQ(got.at<std::uint64_t>(Statistic::Sum, row), static_cast<std::uint64_t>(sum));
    if (sizeof(T) > 2) return;  // larger types: reduce_bounds_test, against exact rationals
    const Wide n = static_cast<Wide>(x.size());
    EXPECT_TRUE(is_nearest(got.at<double>(Statistic::Mean, row), sum, n));
    EXPECT_EQ(got.at<double>(Statistic::L2, row),
              std::sqrt(static_cast<double>(static_cast<std::int64_t>(squares))));
    if (n <= ddof) {
        EXPECT_TRUE(std::isnan(got.at<double>(Statistic::Var, row)));
        EXPECT_TRUE(std::isnan(got.at<double>(Statistic::Std, row)));
        return;
    }
    EXPECT_TRUE(is_nearest(got.at<double>(Statistic::Var, row), n * squares - sum * sum, n * (n - ddof)));
    EXPECT_EQ(got.at<double>(Statistic::Std, row), std::sqrt(got.at<double>(Statistic::Var, row)));
}

TYPED_TEST(ReduceInteger, EveryPatternAndSizeIsExact) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed);
    ThreadPool two(2);
    ThreadPool seven(7);
    for (Values values :
         {Values::Any, Values::Small, Values::Zeros, Values::AllMax, Values::AllMin, Values::Extremes})
        for (std::uint64_t n : kReduceSizes) {
            if (sizeof(T) == 8 && values != Values::Small && values != Values::Zeros)
                continue;  // their sums do not fit
            SCOPED_TRACE("seed " + std::to_string(kSeed) + " values " +
                         std::to_string(static_cast<int>(values)) + " n " + std::to_string(n));
            const std::vector<T> x = integer_data<T>(values, n, random);
            const std::uint32_t ddof = n % 2;
            const Job job = reduce_job(ElementTypeOf<T>::value, n, kAllStatistics, true, ddof);
            for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &two, &seven}) {
                const ReduceResult got = run_reduce_job(job, x.data(), 0, pool);
                ASSERT_TRUE(got.report.ok()) << got.report.error().message;
                expect_integers(x, got, 0, ddof);
                if (testing::Test::HasFailure()) return;
            }
        }
}

TYPED_TEST(ReduceInteger, RowsWithStrideAndOddAlignmentAreExact) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 1);
    ThreadPool pool(3);
    const std::uint64_t shapes[][3] = {
        {1, 1, 1}, {9, 3, 4}, {300, 17, 19}, {20, 1024, 1027}, {3, 16400, 16401}};
    for (const auto& shape : shapes)
        for (std::size_t offset : {0, 1, 5}) {
            const std::uint64_t rows = shape[0], cols = shape[1], stride = shape[2];
            const std::vector<T> flat = integer_data<T>(Values::Small, rows * stride, random);
            std::vector<std::byte> bytes(flat.size() * sizeof(T) + offset);
            std::memcpy(bytes.data() + offset, flat.data(), flat.size() * sizeof(T));
            const Job by_row = reduce_rows_job(ElementTypeOf<T>::value, rows, cols, kAllStatistics);
            Job whole = by_row;
            whole.axis = Axis::Whole;
            for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
                const ReduceResult got = run_reduce_job(by_row, bytes.data() + offset, stride, threads);
                ASSERT_TRUE(got.report.ok());
                std::vector<T> segment;
                for (std::uint64_t r = 0; r < rows; ++r) {
                    const std::vector<T> row(flat.begin() + static_cast<std::ptrdiff_t>(r * stride),
                                             flat.begin() + static_cast<std::ptrdiff_t>(r * stride + cols));
                    expect_integers(row, got, r, 0);
                    segment.insert(segment.end(), row.begin(), row.end());
                }
                expect_integers(segment, run_reduce_job(whole, bytes.data() + offset, stride, threads), 0, 0);
            }
            if (testing::Test::HasFailure()) return;
        }
}

}  // namespace
}  // namespace tegu::test
