// SPDX-License-Identifier: Apache-2.0
#include "kernels/numerics/entropy_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tegu::kernels {
namespace {

long double exact(LogBase base, unsigned shift, std::uint32_t n) {
    if (n < 2) return 0;
    const long double log =
        base == LogBase::Two ? std::log2(static_cast<long double>(n)) : std::log(static_cast<long double>(n));
    return std::ldexp(n * log, static_cast<int>(shift));
}

class EntropyTable : public testing::TestWithParam<LogBase> {};

// Every entry at every shift is the correctly rounded one, and none is so near to a half that the 60 bits
// could decide it wrongly.
TEST_P(EntropyTable, EveryEntryIsCorrectlyRounded) {
    if (sizeof(long double) == sizeof(double)) GTEST_SKIP() << "long double is no wider than double here";
    for (unsigned shift = 15; shift <= kMaxEntropyShift; ++shift) {
        std::uint32_t n_max = kMaxEntropyCount;
        while (exact(GetParam(), shift, n_max) >= 2147483648.0L) --n_max;
        std::vector<std::uint32_t> table(n_max + 1);
        fill_entropy_table(GetParam(), shift, table);
        for (std::uint32_t n = 0; n <= n_max; ++n) {
            const long double value = exact(GetParam(), shift, n);
            ASSERT_EQ(table[n], static_cast<std::uint32_t>(std::floor(value + 0.5L)))
                << "n " << n << " shift " << shift;
            const long double half = std::fabs(value - std::floor(value) - 0.5L);
            ASSERT_GT(half, 0x1p-26L) << "n " << n << " shift " << shift;
        }
    }
}

TEST_P(EntropyTable, ShiftIsTheLargestWhoseSumsFit) {
    for (std::uint32_t n = 9; n <= kMaxEntropyCount; ++n) {
        const unsigned shift = entropy_table_shift(GetParam(), n);
        ASSERT_GE(shift, 15u);
        ASSERT_LE(shift, 24u);
        ASSERT_LT(std::floor(exact(GetParam(), shift, n) + 0.5L), 2147483648.0L) << n;
        if (shift == kMaxEntropyShift) continue;
        ASSERT_GE(std::floor(exact(GetParam(), shift + 1, n) + 0.5L), 2147483648.0L) << n;
    }
}

TEST_P(EntropyTable, ShiftOfTheSmallestCountIsTheLimit) {
    EXPECT_EQ(entropy_table_shift(GetParam(), 1), kMaxEntropyShift);
}

// What makes F[N] - sum F[n_i] positive for every window of more than one level: splitting a count in two
// loses table value.
TEST_P(EntropyTable, SplittingACountLosesValue) {
    for (const std::uint32_t n_max : {9u, 25u, 441u, kMaxEntropyCount}) {
        std::vector<std::uint32_t> table(n_max + 1);
        const unsigned shift = entropy_table_shift(GetParam(), n_max);
        fill_entropy_table(GetParam(), shift, table);
        for (std::uint32_t a = 1; a <= n_max; ++a)
            for (std::uint32_t b = 1; b <= a && a + b <= n_max; ++b)
                ASSERT_LT(table[a] + table[b], table[a + b]) << a << " " << b;
    }
}

INSTANTIATE_TEST_SUITE_P(Bases, EntropyTable, testing::Values(LogBase::Two, LogBase::E));

TEST(EntropyTableEntries, KnownValues) {
    std::vector<std::uint32_t> table(26);
    ASSERT_EQ(entropy_table_shift(LogBase::Two, 25), 24u);
    ASSERT_EQ(entropy_table_shift(LogBase::Two, kMaxEntropyCount), 15u);
    ASSERT_EQ(entropy_table_shift(LogBase::E, kMaxEntropyCount), 15u);
    fill_entropy_table(LogBase::Two, 24, table);
    EXPECT_EQ(table[0], 0u);
    EXPECT_EQ(table[1], 0u);
    EXPECT_EQ(table[2], 2u << 24);
    EXPECT_EQ(table[4], 8u << 24);
    EXPECT_EQ(table[16], 64u << 24);
}

}  // namespace
}  // namespace tegu::kernels
