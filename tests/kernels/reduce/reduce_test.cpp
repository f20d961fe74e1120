// SPDX-License-Identifier: Apache-2.0
// reduce of floats against the scalar reference, bit for bit: sizes around every boundary, patterns, sets,
// rows with strides, odd alignments, threads.
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

constexpr unsigned kSeed = 20240501;

template <class T>
T from_double(double v) {
    if constexpr (std::is_same<T, Half>::value)
        return float_to_half(static_cast<float>(v));
    else
        return static_cast<T>(v);
}

template <class V>
std::string bits_of(V value) {
    unsigned char bytes[sizeof(V)];
    std::memcpy(bytes, &value, sizeof value);
    std::string text;
    for (std::size_t i = sizeof(V); i-- > 0;) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(bytes[i]));
        text += two;
    }
    return text;
}

enum class Pattern {
    Normal,
    LargeMean,
    Constant,
    Zeros,
    MixedScales,
    Tiny,
    NearOverflow,
    SomeNan,
    ManyNan,
    AllNan,
    Infinities,
    Ties,
    Ramp,
    Count
};

template <class T>
double largest() {
    return std::is_same<T, Half>::value ? 65504.0 : std::is_same<T, float>::value ? 3.0e38 : 1.0e308;
}
template <class T>
double smallest() {
    return std::is_same<T, Half>::value ? 0x1p-24 : std::is_same<T, float>::value ? 0x1p-149 : 0x1p-1074;
}

template <class T>
std::vector<T> float_data(Pattern pattern, std::uint64_t n, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> die(0, 999);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    std::vector<T> x;
    for (std::uint64_t i = 0; i < n; ++i) {
        const double g = normal(random);
        const int roll = die(random);
        double v = 0;
        switch (pattern) {
            case Pattern::Normal: v = g; break;
            case Pattern::LargeMean: v = 1000 + g; break;
            case Pattern::Constant: v = 0.1; break;
            case Pattern::Zeros: v = roll % 2 ? 0.0 : -0.0; break;
            case Pattern::MixedScales: v = roll % 3 == 0 ? g * 1e-30 : roll % 3 == 1 ? g * 1e30 : g; break;
            case Pattern::Tiny: v = std::round(g * 10) * smallest<T>(); break;
            case Pattern::NearOverflow: v = (roll % 5 ? 0.9 : -0.4) * largest<T>(); break;
            case Pattern::SomeNan: v = roll == 0 ? nan : g; break;
            case Pattern::ManyNan: v = roll < 600 ? -nan : g; break;
            case Pattern::AllNan: v = nan; break;
            case Pattern::Infinities: v = roll < 2 ? (roll % 2 ? inf : -inf) : g; break;
            case Pattern::Ties: v = roll % 7 - 3; break;
            case Pattern::Ramp: v = static_cast<double>(i % 2000) - 500; break;
            case Pattern::Count: break;
        }
        x.push_back(from_double<T>(v));
    }
    return x;
}

template <class T>
void expect_equal(const Statistics<T>& want, const ReduceResult& got, std::uint64_t row = 0) {
    const auto check = [&](Statistic statistic, auto value) {
        EXPECT_EQ(bits_of(value), bits_of(got.at<decltype(value)>(statistic, row)))
            << kStatisticInfos[static_cast<int>(statistic)].word << " row " << row;
    };
    check(Statistic::Count, want.count);
    check(Statistic::Sum, want.sum);
    check(Statistic::Mean, want.mean);
    check(Statistic::Min, want.min);
    check(Statistic::Max, want.max);
    EXPECT_EQ(bits_of(want.min), bits_of(got.at<T>(Statistic::Minmax, 2 * row)));
    EXPECT_EQ(bits_of(want.max), bits_of(got.at<T>(Statistic::Minmax, 2 * row + 1)));
    check(Statistic::Argmin, want.argmin);
    check(Statistic::Argmax, want.argmax);
    check(Statistic::Absmax, want.absmax);
    check(Statistic::L1, want.l1);
    check(Statistic::L2, want.l2);
    check(Statistic::Var, want.var);
    check(Statistic::Std, want.std);
    check(Statistic::Nonzero, want.nonzero);
    check(Statistic::Nans, want.nans);
}

template <class T>
class ReduceFloat : public testing::Test {};
using FloatTypes = testing::Types<Half, float, double>;
TYPED_TEST_SUITE(ReduceFloat, FloatTypes);

TYPED_TEST(ReduceFloat, EveryPatternAndSizeMatchesTheReference) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed);
    ThreadPool two(2);
    ThreadPool seven(7);
    for (int p = 0; p < static_cast<int>(Pattern::Count); ++p)
        for (std::uint64_t n : kReduceSizes)
            for (bool skip : {false, true}) {
                SCOPED_TRACE("seed " + std::to_string(kSeed) + " pattern " + std::to_string(p) + " n " +
                             std::to_string(n) + (skip ? " skip_nans" : ""));
                const std::vector<T> x = float_data<T>(static_cast<Pattern>(p), n, random);
                const std::uint32_t ddof = static_cast<std::uint32_t>(n + static_cast<std::uint64_t>(p)) % 2;
                const Statistics<T> want = float_statistics(x, skip, ddof);
                const Job job = reduce_job(ElementTypeOf<T>::value, n, kAllStatistics, skip, ddof);
                for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &two, &seven}) {
                    const ReduceResult got = run_reduce_job(job, x.data(), 0, pool);
                    ASSERT_TRUE(got.report.ok()) << got.report.error().message;
                    expect_equal(want, got);
                    if (testing::Test::HasFailure()) return;
                }
            }
}

// Chunks that are skipped altogether hold no extreme, not even an infinite one.
TYPED_TEST(ReduceFloat, InfinitiesAfterChunksOfNansAreFound) {
    using T = TypeParam;
    ThreadPool two(2);
    for (const double sign : {1.0, -1.0}) {
        std::vector<T> x(50000, from_double<T>(std::numeric_limits<double>::quiet_NaN()));
        x[40001] = x[45000] = from_double<T>(sign * std::numeric_limits<double>::infinity());
        const Job job = reduce_job(ElementTypeOf<T>::value, x.size(), kAllStatistics, true);
        for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &two}) {
            const ReduceResult got = run_reduce_job(job, x.data(), 0, pool);
            ASSERT_TRUE(got.report.ok()) << got.report.error().message;
            EXPECT_EQ(40001, got.at<std::int64_t>(Statistic::Argmin));
            EXPECT_EQ(40001, got.at<std::int64_t>(Statistic::Argmax));
        }
    }
}

// A statistic has the same bits alone and in any company.
TYPED_TEST(ReduceFloat, AnySubsetGivesTheSameBits) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 1);
    for (Pattern pattern : {Pattern::Normal, Pattern::SomeNan, Pattern::Infinities})
        for (bool skip : {false, true}) {
            const std::vector<T> x = float_data<T>(pattern, 20001, random);
            const ElementType type = ElementTypeOf<T>::value;
            const ReduceResult all =
                run_reduce_job(reduce_job(type, x.size(), kAllStatistics, skip), x.data());
            ASSERT_TRUE(all.report.ok());
            for (int trial = 0; trial < 60; ++trial) {
                const StatisticSet set = trial < kStatisticCount
                                             ? 1u << trial
                                             : static_cast<StatisticSet>(random()) & kAllStatistics;
                if (set == 0) continue;
                const ReduceResult some = run_reduce_job(reduce_job(type, x.size(), set, skip), x.data());
                ASSERT_TRUE(some.report.ok());
                ASSERT_EQ(some.plan.outputs.size(), static_cast<std::size_t>(__builtin_popcount(set)));
                for (const ArraySpec& spec : some.plan.outputs) {
                    const auto statistic = static_cast<Statistic>(static_cast<int>(spec.role) - 1);
                    EXPECT_EQ(0, std::memcmp(some.array(statistic), all.array(statistic), array_bytes(spec)))
                        << array_role_word(spec.role) << " in set " << set << " seed " << kSeed + 1;
                }
            }
        }
}

TYPED_TEST(ReduceFloat, RowsWithStrideAndOddAlignmentMatchTheReference) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed + 2);
    ThreadPool pool(3);
    const std::uint64_t shapes[][3] = {{1, 1, 1},        {3, 1, 2},       {7, 5, 5},        {300, 17, 19},
                                       {40, 1024, 1030}, {5, 3000, 3000}, {3, 16400, 16401}};
    for (const auto& shape : shapes)
        for (std::size_t offset : {0, 1, 3}) {
            SCOPED_TRACE("rows " + std::to_string(shape[0]) + " cols " + std::to_string(shape[1]) +
                         " offset " + std::to_string(offset));
            const std::uint64_t rows = shape[0], cols = shape[1], stride = shape[2];
            const std::vector<T> flat = float_data<T>(Pattern::SomeNan, rows * stride, random);
            std::vector<std::byte> bytes(flat.size() * sizeof(T) + offset);
            std::memcpy(bytes.data() + offset, flat.data(), flat.size() * sizeof(T));
            const Job by_row = reduce_rows_job(ElementTypeOf<T>::value, rows, cols, kAllStatistics);
            Job whole = by_row;
            whole.axis = Axis::Whole;
            std::vector<T> segment;
            for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
                segment.clear();
                const ReduceResult got = run_reduce_job(by_row, bytes.data() + offset, stride, threads);
                ASSERT_TRUE(got.report.ok());
                for (std::uint64_t r = 0; r < rows; ++r) {
                    const std::vector<T> row(flat.begin() + static_cast<std::ptrdiff_t>(r * stride),
                                             flat.begin() + static_cast<std::ptrdiff_t>(r * stride + cols));
                    expect_equal(float_statistics(row, false, 0), got, r);
                    segment.insert(segment.end(), row.begin(), row.end());
                }
                expect_equal(float_statistics(segment, false, 0),
                             run_reduce_job(whole, bytes.data() + offset, stride, threads));
            }
            if (testing::Test::HasFailure()) return;
        }
}

TEST(ReduceFloat32, ParallelLongSegmentsMatchOneThread) {
    std::mt19937_64 random(kSeed + 3);
    std::vector<float> x(3'000'001);
    for (float& v : x) v = static_cast<float>(static_cast<std::int64_t>(random() >> 40)) * 0x1p-20f - 7;
    const Job job = reduce_job(ElementType::F32, x.size(), kAllStatistics);
    const ReduceResult one = run_reduce_job(job, x.data());
    ASSERT_TRUE(one.report.ok());
    for (unsigned threads : {2u, 3u, 7u}) {
        ThreadPool pool(threads);
        const ReduceResult many = run_reduce_job(job, x.data(), 0, &pool);
        ASSERT_TRUE(many.report.ok());
        EXPECT_EQ(one.arrays, many.arrays) << threads << " threads";
    }
    expect_equal(float_statistics(x, false, 0), one);
}

TEST(ReduceFloat32, ExtremesAcrossChunksKeepTheFirstOfEquals) {
    std::vector<float> x(70000, 1.0f);
    x[40000] = x[65000] = 9;
    x[50000] = -0.0f;
    x[60000] = 0.0f;
    const Job job = reduce_job(ElementType::F32, x.size(), kAllStatistics);
    const ReduceResult got = run_reduce_job(job, x.data());
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmax), 40000);
    EXPECT_EQ(got.at<std::int64_t>(Statistic::Argmin), 50000);
    EXPECT_EQ(bits_of(got.at<float>(Statistic::Min)), bits_of(0.0f));
    x[69999] = -std::numeric_limits<float>::quiet_NaN();
    x[55555] = std::numeric_limits<float>::signaling_NaN();
    const ReduceResult poisoned = run_reduce_job(job, x.data());
    EXPECT_EQ(poisoned.at<std::int64_t>(Statistic::Argmax), 55555);
    EXPECT_EQ(poisoned.at<std::int64_t>(Statistic::Argmin), 55555);
    for (Statistic s : {Statistic::Min, Statistic::Max, Statistic::Absmax})
        EXPECT_EQ(bits_of(poisoned.at<float>(s)), "7fc00000");
    for (Statistic s :
         {Statistic::Sum, Statistic::Mean, Statistic::L1, Statistic::L2, Statistic::Var, Statistic::Std})
        EXPECT_EQ(bits_of(poisoned.at<double>(s)), "7ff8000000000000");
}

TEST(ReduceFloat64, AMeanThatRoundsToZeroIsPositive) {
    const double x[] = {-0x1p-1074, 0.0};
    const ReduceResult got =
        run_reduce_job(reduce_job(ElementType::F64, 2, set_of({Statistic::Sum, Statistic::Mean})), x);
    EXPECT_EQ(got.at<double>(Statistic::Sum), -0x1p-1074);
    EXPECT_EQ(bits_of(got.at<double>(Statistic::Mean)), bits_of(0.0));
}

TEST(ReduceFloat32, FiniteDataNeverOverflows) {
    const std::vector<float> x(5000, std::numeric_limits<float>::max());
    const ReduceResult got = run_reduce_job(reduce_job(ElementType::F32, x.size(), kAllStatistics), x.data());
    const double max = static_cast<double>(std::numeric_limits<float>::max());
    EXPECT_EQ(got.at<double>(Statistic::Sum), 5000 * max);
    EXPECT_EQ(got.at<double>(Statistic::Var), 0);
    EXPECT_NEAR(got.at<double>(Statistic::L2) / (std::sqrt(5000.0) * max), 1, 1e-15);
}

}  // namespace
}  // namespace tegu::test
