// SPDX-License-Identifier: Apache-2.0
// Entropies of every type against the definition in long double: levels from the obvious quantiser, counts,
// and the sum of p log p, within the bound of docs/numerics.md; then what must hold to the bit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/counting/cpu/level_counter.h"
#include "kernels/numerics/fixed_log2.h"
#include "tests/kernels/counting/counting_run.h"
#include "tests/kernels/counting/levels_reference.h"

namespace tegu::test {
namespace {

using kernels::ThreadPool;
using testing_support::LevelRule;

EntropyParams params_of(std::uint32_t levels, LogBase base = LogBase::Two) {
    EntropyParams params;
    params.levels = levels;
    params.base = base;
    return params;
}

EntropyParams params_of(std::uint32_t levels, double lo, double hi) {
    return with_range(params_of(levels), lo, hi);
}

template <class T>
bool is_nan(T value) {
    const double v = as_f64(value);
    return v != v;
}

template <class T>
LevelRule rule_of(const std::vector<T>& x, const EntropyParams& params) {
    LevelRule rule{params.levels, params.has_range, params.lo, params.hi};
    if (std::is_integral<T>::value || params.has_range) return rule;
    rule.has_range = true;
    rule.lo = std::numeric_limits<double>::infinity();
    rule.hi = -rule.lo;
    for (const T value : x) {
        if (!std::isfinite(as_f64(value))) continue;
        rule.lo = std::min(rule.lo, as_f64(value));
        rule.hi = std::max(rule.hi, as_f64(value));
    }
    return rule;
}

// NaN where the result must be.
long double entropy_of_counts(const std::vector<std::uint64_t>& counts, LogBase base) {
    long double n = 0, sum = 0;
    for (const std::uint64_t count : counts) n += static_cast<long double>(count);
    if (n == 0) return std::numeric_limits<long double>::quiet_NaN();
    for (const std::uint64_t count : counts) {
        const long double p = static_cast<long double>(count) / n;
        if (count != 0) sum -= p * std::log2(p);
    }
    return base == LogBase::Two ? sum : sum * 0.693147180559945309417232121458176568L;
}

template <class T>
long double reference_entropy(const std::vector<T>& x, const EntropyParams& params) {
    const LevelRule rule = rule_of(x, params);
    std::vector<std::uint64_t> counts(params.levels);
    for (const T value : x) {
        if (is_nan(value) && !params.skip_nans) return std::numeric_limits<long double>::quiet_NaN();
        if (!is_nan(value)) ++counts[testing_support::reference_level(value, rule)];
    }
    return entropy_of_counts(counts, params.base);
}

// The bound of docs/numerics.md, and what the sum of `terms` in long double loses.
void expect_entropy(double found, long double wanted, std::size_t terms) {
    if (std::isnan(wanted)) {
        std::uint64_t bits;
        std::memcpy(&bits, &found, sizeof bits);
        EXPECT_EQ(bits, 0x7ff8000000000000u);
        return;
    }
    EXPECT_LE(std::fabs(static_cast<long double>(found) - wanted),
              0x1p-53L * wanted + 0x1p-59L + static_cast<long double>(terms + 4) * (wanted + 1) * 0x1p-64L);
    EXPECT_GE(found, 0);
    EXPECT_FALSE(std::signbit(found));
}

template <class T>
void expect_right(const std::vector<T>& x, Axis axis, std::uint64_t rows, const EntropyParams& params,
                  ThreadPool* pool, std::uint64_t gap = 0, std::size_t offset = 0) {
    const std::uint64_t cols = x.size() / rows;
    std::vector<std::byte> memory(offset + rows * (cols + gap) * sizeof(T) + 1, std::byte{0x22});
    for (std::uint64_t r = 0; r < rows; ++r)
        std::memcpy(memory.data() + offset + r * (cols + gap) * sizeof(T), x.data() + r * cols,
                    cols * sizeof(T));
    const Job job = counting_job(ElementTypeOf<T>::value, axis, rows, cols, params);
    SCOPED_TRACE(std::string(element_word(job.type)) + " rows " + std::to_string(rows) + " cols " +
                 std::to_string(cols) + " levels " + std::to_string(params.levels));
    const Ran ran = run_counting(job, memory.data() + offset, cols + gap, pool);
    ASSERT_TRUE(ran.report.ok()) << ran.report.error().message;
    EXPECT_EQ(ran.report->filled_columns, (std::vector<std::uint64_t>{1}));
    for (std::uint64_t r = 0; r < (axis == Axis::Whole ? 1 : rows); ++r) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(r * cols);
        const std::vector<T> part =
            axis == Axis::Whole ? x : std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(cols));
        expect_entropy(ran.at<double>(0, r), reference_entropy(part, params),
                       std::min<std::size_t>(part.size(), params.levels));
    }
}

template <class T>
class EntropyOf : public RandomWithPools<1121> {};
TYPED_TEST_SUITE(EntropyOf, EveryType);

TYPED_TEST(EntropyOf, ManySizesLevelsAndRanges) {
    SCOPED_TRACE("seed " + std::to_string(this->seed_));
    int turn = 0;
    for (const std::size_t n : {1, 2, 3, 8, 63, 64, 65, 1023, 1024, 1025, 4097, 16385})
        for (const Fill fill : {Fill::Small, Fill::Bits, Fill::Equal, Fill::Runs}) {
            const std::vector<TypeParam> x = elements_of<TypeParam>(this->random_, n, fill);
            ThreadPool* const pool = this->pools_[++turn % 3];
            for (const std::uint32_t levels : {2u, 3u, 16u, 255u, 256u, 257u, 5000u, 65536u}) {
                if (std::is_integral<TypeParam>::value || fill != Fill::Bits)
                    expect_right(x, Axis::Whole, 1, params_of(levels, n % 2 == 0 ? LogBase::Two : LogBase::E),
                                 pool);
                expect_right(x, Axis::Whole, 1, params_of(levels, -7.5, 11.25), pool, 0, n % 3);
                EntropyParams skip = params_of(levels, -100, 200);
                skip.skip_nans = true;
                expect_right(x, Axis::Whole, 1, skip, pool);
            }
        }
}

TYPED_TEST(EntropyOf, LongSegmentsRowsStridesAndAlignments) {
    SCOPED_TRACE("seed " + std::to_string(this->seed_));
    for (const std::uint64_t cols : {1ul, 5ul, 1000ul, 2048ul, 9 * 32768ul})
        for (const std::uint64_t rows : {1, 3}) {
            const std::vector<TypeParam> x = elements_of<TypeParam>(this->random_, rows * cols, Fill::Runs);
            for (const Axis axis : {Axis::Whole, Axis::Rows})
                for (ThreadPool* pool : this->pools_) {
                    expect_right(x, axis, rows, params_of(256), pool, 3, 1);
                    expect_right(x, axis, rows, params_of(1000, -3, 3), pool, 3, 1);
                }
        }
}

TYPED_TEST(EntropyOf, ManyShortRows) {
    const std::vector<TypeParam> x = elements_of<TypeParam>(this->random_, 500 * 17, Fill::Small);
    for (ThreadPool* pool : this->pools_) {
        expect_right(x, Axis::Rows, 500, params_of(16), pool);
        expect_right(x, Axis::Rows, 500, params_of(300), pool, 2);
    }
}

TEST(Entropy, OneLevelIsExactlyZeroAndEqualLevelsExactlyTheirLogarithm) {
    for (const std::size_t n : {1, 3, 1000, 1234567}) {
        const std::vector<std::uint8_t> flat(n, 77);
        const Ran ran = run_counting(
            counting_job(ElementType::U8, Axis::Whole, 1, n, params_of(256, LogBase::E)), flat.data());
        ASSERT_TRUE(ran.report.ok());
        EXPECT_EQ(ran.at<std::uint64_t>(0, 0), 0u);
    }
    std::vector<std::uint8_t> all(256 * 1000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i);
    for (const std::uint32_t levels : {2u, 16u, 256u}) {
        const Ran ran = run_counting(
            counting_job(ElementType::U8, Axis::Whole, 1, all.size(), params_of(levels)), all.data());
        ASSERT_TRUE(ran.report.ok());
        EXPECT_EQ(ran.at<double>(0, 0), std::log2(levels));
    }
}

TEST(Entropy, NanMakesNanUnlessSkipped) {
    std::vector<float> x(5000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 50);
    std::vector<float> with = x;
    for (const std::size_t at : {0, 1, 4444})
        with.insert(with.begin() + static_cast<std::ptrdiff_t>(at), -std::numeric_limits<float>::quiet_NaN());
    EntropyParams params = params_of(64);
    expect_right(with, Axis::Whole, 1, params, nullptr);
    params.skip_nans = true;
    const Ran skipped =
        run_counting(counting_job(ElementType::F32, Axis::Whole, 1, with.size(), params), with.data());
    const Ran without =
        run_counting(counting_job(ElementType::F32, Axis::Whole, 1, x.size(), params), x.data());
    ASSERT_TRUE(skipped.report.ok());
    ASSERT_TRUE(without.report.ok());
    EXPECT_EQ(skipped.at<std::uint64_t>(0, 0), without.at<std::uint64_t>(0, 0));
    const std::vector<double> nothing(3, std::numeric_limits<double>::quiet_NaN());
    expect_right(nothing, Axis::Whole, 1, params, nullptr);
    const std::vector<Half> halves(300000, Half{0xfe01});
    expect_right(halves, Axis::Whole, 1, params, nullptr);
    EntropyParams strict = params_of(64);
    expect_right(halves, Axis::Whole, 1, strict, nullptr);
}

TEST(Entropy, InfinitiesBelongToTheOuterLevels) {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> x = {-inf, 0, 1, 2, 3, inf, inf};
    expect_right(x, Axis::Whole, 1, params_of(4), nullptr);
    const std::vector<float> only = {inf, -inf, inf};
    expect_right(only, Axis::Whole, 1, params_of(4), nullptr);
}

// Counts beyond what a job can have in a test, straight into the last step.
TEST(EntropyOfCounts, LargeAndUnevenCounts) {
    std::mt19937_64 random(5);
    for (const std::size_t levels : {2, 3, 10, 300})
        for (const int bits : {1, 8, 20, 40, 53})
            for (int round = 0; round < 20; ++round) {
                std::vector<std::uint64_t> counts(levels);
                for (std::uint64_t& count : counts)
                    count = random() >> (64 - bits) >> (random() % static_cast<unsigned>(bits));
                for (const LogBase base : {LogBase::Two, LogBase::E}) {
                    SCOPED_TRACE(std::to_string(levels) + " levels, bits " + std::to_string(bits));
                    expect_entropy(kernels::entropy_of(Span<const std::uint64_t>(counts), base),
                                   entropy_of_counts(counts, base), levels);
                }
            }
    const std::vector<std::uint64_t> lopsided = {(std::uint64_t{1} << 60), 1};
    EXPECT_GT(kernels::entropy_of(Span<const std::uint64_t>(lopsided), LogBase::Two), 0);
    const std::vector<std::uint64_t> flat = {0, (std::uint64_t{1} << 61) + 12345, 0};
    EXPECT_EQ(kernels::entropy_of(Span<const std::uint64_t>(flat), LogBase::E), 0);
}

TEST(FixedLog2, IsLowByLessThanItsBound) {
    std::mt19937_64 random(6);
    for (int round = 0; round < 20000; ++round) {
        const std::uint64_t n = (random() >> (round % 63)) | 1u;
        const long double found = static_cast<long double>(kernels::fixed_log2(n)) * 0x1p-60L;
        const long double exact = std::log2(static_cast<long double>(n));
        ASSERT_LE(found, exact + 0x1p-57L)
            << n;  // log2 of long double has an error of its own: half an ulp of at most 64
        ASSERT_GT(found, exact - 0x1p-57L) << n;
    }
    for (unsigned bit = 0; bit < 64; ++bit)
        EXPECT_TRUE(kernels::fixed_log2(std::uint64_t{1} << bit) == static_cast<kernels::Uint128>(bit) << 60);
}

// log2(n) 2^60 without its fraction, from 200 bits; the last two are low by 1.1197 and 1.1346, near the bound
// of 1.1804.
TEST(FixedLog2, KnownValues) {
    const struct {
        std::uint64_t n;
        unsigned exponent;
        std::uint64_t fraction, low;
    } known[] = {{3, 1, 0x95c01a39fbd6879, 0},
                 {10, 3, 0x5269e12f346e2bf, 0},
                 {1000003, 19, 0xee7b8fb82f5cc46, 0},
                 {407274757161, 38, 0x9134c4e4ccdbd10, 1},
                 {13071709485333981105u, 63, 0x80c9f5250bf2372, 1}};
    for (const auto& each : known) {
        const kernels::Uint128 exact = (static_cast<kernels::Uint128>(each.exponent) << 60) + each.fraction;
        EXPECT_TRUE(kernels::fixed_log2(each.n) == exact - each.low) << each.n;
    }
}

}  // namespace
}  // namespace tegu::test
