// SPDX-License-Identifier: Apache-2.0
// reduce chooses its loops by the set of statistics, the type and what the data holds. So: a statistic has
// the same bits alone and in any company, and nothing that is rare in the data (one NaN, one zero, one
// extreme, at any place) is missed by any loop.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "tests/kernels/execution/every_type.h"
#include "tests/kernels/reduce/run.h"

namespace tegu::test {
namespace {

constexpr unsigned kSeed = 20240917;
const std::size_t kChunk = 16384;

template <class T>
T make(double value) {
    if constexpr (std::is_same<T, Half>::value)
        return float_to_half(static_cast<float>(value));
    else
        return static_cast<T>(value);
}

constexpr int kKinds = 5;

// Kinds of data: 0 mixed signs, 1 zeros among others, 2 scales that leave the range of f32 leaves, 3 NaN and
// infinities, 4 the ends of the type.
template <class T>
std::vector<T> data_of(int kind, std::size_t n, std::mt19937_64& random) {
    constexpr bool kInteger = std::is_integral<T>::value;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<T> x;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t bits = random();
        const double v = static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-60;  // -8..8
        if constexpr (kInteger) {
            const T wide = sizeof(T) == 8 ? static_cast<T>(bits >> 20) : static_cast<T>(bits);
            const T end = bits % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
            x.push_back(kind == 1 && bits % 3 ? T(0) : kind == 4 && sizeof(T) < 8 ? end : wide);
        } else {
            const double scale = bits % 3 == 0 ? 1e-30 : bits % 3 == 1 ? 1e30 : 1;
            const double odd = bits % 997 == 0   ? nan
                               : bits % 991 == 0 ? std::numeric_limits<double>::infinity()
                                                 : v;
            const double largest = std::is_same<T, double>::value  ? 1e300
                                   : std::is_same<T, float>::value ? 3e38
                                                                   : 65504;
            x.push_back(make<T>(kind == 1   ? (bits % 3 ? 0.0 * v : v)
                                : kind == 2 ? v * scale
                                : kind == 3 ? odd
                                : kind == 4 ? (bits % 2 ? largest : -largest)
                                            : v));
        }
    }
    return x;
}

template <class T>
class ReduceSets : public testing::Test {};
TYPED_TEST_SUITE(ReduceSets, EveryType);

TYPED_TEST(ReduceSets, AnySubsetGivesTheSameBitsAsAll) {
    using T = TypeParam;
    std::mt19937_64 random(kSeed);
    const ElementType type = ElementTypeOf<T>::value;
    for (int kind = 0; kind < kKinds; ++kind)
        for (const std::size_t n : {std::size_t{5}, std::size_t{1024}, kChunk + 3 * 1024 + 77})
            for (const bool skip : {false, true}) {
                if (skip && !is_float(type)) continue;
                SCOPED_TRACE("seed " + std::to_string(kSeed) + " kind " + std::to_string(kind) + " n " +
                             std::to_string(n));
                const std::vector<T> x = data_of<T>(kind, n, random);
                const ReduceResult all = run_reduce_job(reduce_job(type, n, kAllStatistics, skip), x.data());
                ASSERT_TRUE(all.report.ok()) << all.report.error().message;
                for (int trial = 0; trial < 40; ++trial) {
                    const auto some_bits = static_cast<StatisticSet>(random() & random()) & kAllStatistics;
                    const StatisticSet set = trial < kStatisticCount ? 1u << trial : some_bits;
                    if (set == 0) continue;
                    const ReduceResult some = run_reduce_job(reduce_job(type, n, set, skip), x.data());
                    ASSERT_TRUE(some.report.ok()) << some.report.error().message;
                    for (const ArraySpec& spec : some.plan.outputs) {
                        const auto statistic = static_cast<Statistic>(static_cast<int>(spec.role) - 1);
                        ASSERT_EQ(0,
                                  std::memcmp(some.array(statistic), all.array(statistic), array_bytes(spec)))
                            << array_role_word(spec.role) << " in set " << set;
                    }
                }
            }
}

// Places around the borders of vectors, rows, tiles and chunks, and some between.
std::vector<std::size_t> places(std::size_t n) {
    std::vector<std::size_t> all{0, 1, 3, 63, 64, 127, 128, 1023, 1024, kChunk - 1, kChunk, n - 2, n - 1};
    for (std::size_t at = 5; at < n; at += 1009) all.push_back(at);
    return all;
}

TYPED_TEST(ReduceSets, TheFirstOfEqualExtremesIsFoundAnywhere) {
    using T = TypeParam;
    const std::size_t n = kChunk + 1024 + 37;
    for (const Statistic statistic : {Statistic::Argmin, Statistic::Argmax})
        for (const StatisticSet set : {statistic_bit(statistic), kAllStatistics})
            for (const std::size_t at : places(n)) {
                std::vector<T> x(n, make<T>(5));
                x[at] = x[at + (n - at) / 2] = make<T>(statistic == Statistic::Argmax ? 9 : 2);
                const ReduceResult got =
                    run_reduce_job(reduce_job(ElementTypeOf<T>::value, n, set), x.data());
                ASSERT_TRUE(got.report.ok());
                ASSERT_EQ(got.template at<std::int64_t>(statistic), static_cast<std::int64_t>(at))
                    << "set " << set;
            }
}

TYPED_TEST(ReduceSets, OneZeroIsCountedAnywhere) {
    using T = TypeParam;
    const std::size_t n = kChunk + 1024 + 37;
    for (const StatisticSet set : {set_of({Statistic::Nonzero}), kAllStatistics})
        for (const std::size_t at : places(n)) {
            std::vector<T> x(n, make<T>(1));
            x[at] = make<T>(0);
            const ReduceResult got = run_reduce_job(reduce_job(ElementTypeOf<T>::value, n, set), x.data());
            ASSERT_TRUE(got.report.ok());
            ASSERT_EQ(got.template at<std::uint64_t>(Statistic::Nonzero), n - 1)
                << "place " << at << " set " << set;
        }
}

template <class T>
class ReduceFloatSets : public testing::Test {};
using FloatTypes = testing::Types<Half, float, double>;
TYPED_TEST_SUITE(ReduceFloatSets, FloatTypes);

TYPED_TEST(ReduceFloatSets, OneNanIsSeenAnywhereByEverySet) {
    using T = TypeParam;
    const ElementType type = ElementTypeOf<T>::value;
    const std::size_t n = kChunk + 1024 + 37;
    for (const std::size_t at : places(n)) {
        std::vector<T> x(n, make<T>(1));
        x[at] = make<T>(-std::numeric_limits<double>::quiet_NaN());
        SCOPED_TRACE("place " + std::to_string(at));
        for (const StatisticSet set :
             {set_of({Statistic::Nans}), set_of({Statistic::Nans, Statistic::Sum}),
              set_of({Statistic::Nans, Statistic::Max}), set_of({Statistic::Nans, Statistic::Nonzero}),
              set_of({Statistic::Nans, Statistic::L1}), set_of({Statistic::Nans, Statistic::Std}),
              kAllStatistics}) {
            const ReduceResult got = run_reduce_job(reduce_job(type, n, set), x.data());
            ASSERT_EQ(got.template at<std::uint64_t>(Statistic::Nans), 1u) << "set " << set;
            const ReduceResult left = run_reduce_job(reduce_job(type, n, set, true), x.data());
            ASSERT_EQ(left.template at<std::uint64_t>(Statistic::Nans), 1u) << "set " << set;
            if (set & statistic_bit(Statistic::Sum)) {
                ASSERT_TRUE(std::isnan(got.template at<double>(Statistic::Sum))) << "set " << set;
                ASSERT_EQ(left.template at<double>(Statistic::Sum), static_cast<double>(n - 1))
                    << "set " << set;
            }
            if (set & statistic_bit(Statistic::Nonzero)) {
                ASSERT_EQ(left.template at<std::uint64_t>(Statistic::Nonzero), n - 1);
            }
        }
        const ReduceResult arg = run_reduce_job(reduce_job(type, n, set_of({Statistic::Argmin})), x.data());
        ASSERT_EQ(arg.template at<std::int64_t>(Statistic::Argmin), static_cast<std::int64_t>(at));
    }
}

TYPED_TEST(ReduceFloatSets, InfinitiesThatFillALaneHaveNoVariance) {
    using T = TypeParam;
    for (const std::size_t n : {1, 4, 128, 1024, 1025, 20000}) {
        const std::vector<T> x(n, make<T>(-std::numeric_limits<double>::infinity()));
        for (const StatisticSet set : {set_of({Statistic::Var}), kAllStatistics}) {
            const ReduceResult got = run_reduce_job(reduce_job(ElementTypeOf<T>::value, n, set), x.data());
            ASSERT_TRUE(got.report.ok());
            EXPECT_TRUE(std::isnan(got.template at<double>(Statistic::Var))) << n << " elements, set " << set;
        }
        const ReduceResult norm =
            run_reduce_job(reduce_job(ElementTypeOf<T>::value, n, set_of({Statistic::L2})), x.data());
        EXPECT_EQ(norm.template at<double>(Statistic::L2), std::numeric_limits<double>::infinity())
            << n << " elements";
    }
}

}  // namespace
}  // namespace tegu::test
