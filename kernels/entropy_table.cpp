// SPDX-License-Identifier: Apache-2.0
// log2(n) comes bit by bit: the mantissa of n is squared, and each time the square reaches 2 the next bit of the logarithm
// is 1. A square is cut off after 63 fractional bits; what step i loses counts 2^-i, so all 60 bits together are
// low by less than 2^-59.9, and n * log2(n) * 2^shift < 2^31 by less than 2^-28. No entry lies that near to a half.
#include "kernels/entropy_table.h"

#include <array>
#include <cassert>

namespace tegu::kernels {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr unsigned kFractionBits = 60;
constexpr std::uint64_t kLn2 = 0xb17217f7d1cf79acu;  // ln 2 * 2^64, rounded

// log2(n) * 2^60. REQUIRES: n >= 1.
std::uint64_t log2_fixed(std::uint32_t n) {
    const unsigned exponent = 31u - static_cast<unsigned>(__builtin_clz(n));
    std::uint64_t mantissa = std::uint64_t{n} << (63 - exponent);  // in [1, 2), 63 fractional bits
    std::uint64_t fraction = 0;
    for (unsigned bit = 0; bit < kFractionBits; ++bit) {
        const Uint128 square = static_cast<Uint128>(mantissa) * mantissa;
        const unsigned carry = static_cast<unsigned>(square >> 127);  // the square is 2 or more
        mantissa = static_cast<std::uint64_t>(square >> (63 + carry));
        fraction = fraction * 2 + carry;
    }
    return (std::uint64_t{exponent} << kFractionBits) + fraction;
}

using LogTable = std::array<std::uint64_t, kMaxEntropyCount + 1>;

// Every logarithm that a window can need, found once per process (less than a millisecond).
const LogTable& log2_table() {
    static const LogTable table = [] {
        LogTable logs{};
        for (std::uint32_t n = 2; n < logs.size(); ++n)
            logs[n] = n % 2 == 0 ? logs[n / 2] + (std::uint64_t{1} << kFractionBits) : log2_fixed(n);
        return logs;
    }();
    return table;
}

std::uint64_t log_fixed(LogBase base, std::uint32_t n) {
    const std::uint64_t log2 = log2_table()[n];
    if (base == LogBase::Two) return log2;
    return static_cast<std::uint64_t>((static_cast<Uint128>(log2) * kLn2 + (Uint128{1} << 63)) >> 64);
}

std::uint64_t table_entry(LogBase base, unsigned shift, std::uint32_t n) {
    const Uint128 product = static_cast<Uint128>(log_fixed(base, n)) * n;
    return static_cast<std::uint64_t>((product + (Uint128{1} << (kFractionBits - 1 - shift))) >>
                                      (kFractionBits - shift));
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
    for (std::uint32_t n = 0; n < table.size(); ++n) table[n] = static_cast<std::uint32_t>(table_entry(base, shift, n));
}

}  // namespace tegu::kernels
