// SPDX-License-Identifier: Apache-2.0
// n * log(n) from the 60 fractional bits of fixed_log2(). These are low by less than 2^-59.7, so n * log2(n)
// * 2^shift < 2^31 is low by less than 2^-28. No entry is that close to a rounding tie.
#include "kernels/numerics/entropy_table.h"

#include <cassert>

#include "kernels/numerics/fixed_log2.h"

namespace tegu::kernels {
namespace {

static_assert(kMaxEntropyCount < kLog2TableSize);

std::uint64_t log_fixed(LogBase base, std::uint32_t n) {
    if (n == 0) return 0;
    const auto log2 = static_cast<std::uint64_t>(fixed_log2(n));
    if (base == LogBase::Two) return log2;
    return static_cast<std::uint64_t>((static_cast<Uint128>(log2) * kLn2Fixed + (Uint128{1} << 63)) >> 64);
}

std::uint64_t table_entry(LogBase base, unsigned shift, std::uint32_t n) {
    const Uint128 product = static_cast<Uint128>(log_fixed(base, n)) * n;
    return static_cast<std::uint64_t>((product + (Uint128{1} << (kLog2FractionBits - 1 - shift))) >>
                                      (kLog2FractionBits - shift));
}

}  // namespace

unsigned entropy_table_shift(LogBase base, std::uint32_t n_max) {
    assert(n_max >= 1 && n_max <= kMaxEntropyCount);
    unsigned shift = kMaxEntropyShift;
    while (table_entry(base, shift, n_max) >= std::uint64_t{1} << 31) --shift;
    return shift;
}

void fill_entropy_table(LogBase base, unsigned shift, Span<std::uint32_t> table) {
    assert(table.size() <= kMaxEntropyCount + 1);
    for (std::uint32_t n = 0; n < table.size(); ++n)
        table[n] = static_cast<std::uint32_t>(table_entry(base, shift, n));
}

}  // namespace tegu::kernels
