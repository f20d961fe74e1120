// SPDX-License-Identifier: Apache-2.0
// log2(n) bit by bit: square the mantissa of n; if the square reaches 2, the next bit is 1 and the square is
// halved. Each square is truncated after 63 fractional bits.
//
// Step i loses less than 2^-63 / ln 2 of a logarithm with weight 2^-i, all steps together less than 2^-60 /
// (8 ln 2). The bits that are not computed are worth less than 2^-60.
#include "kernels/numerics/fixed_log2.h"

#include <array>
#include <cassert>

namespace tegu::kernels {
namespace {

Uint128 compute(std::uint64_t n) {
    const unsigned exponent = 63u - static_cast<unsigned>(__builtin_clzll(n));
    std::uint64_t mantissa = n << (63 - exponent);  // in [1, 2), 63 fractional bits
    std::uint64_t fraction = 0;
    for (unsigned bit = 0; bit < kLog2FractionBits; ++bit) {
        const Uint128 square = static_cast<Uint128>(mantissa) * mantissa;
        const unsigned carry = static_cast<unsigned>(square >> 127);  // the square is 2 or more
        mantissa = static_cast<std::uint64_t>(square >> (63 + carry));
        fraction = fraction * 2 + carry;
    }
    return (Uint128{exponent} << kLog2FractionBits) + fraction;
}

using Table = std::array<std::uint64_t, kLog2TableSize>;  // exponents below 16: 64 bits are enough

// Computed once per process, in less than a millisecond.
const Table& table() {
    static const Table logs = [] {
        Table made{};
        for (std::uint32_t n = 2; n < made.size(); ++n)
            made[n] = n % 2 == 0 ? made[n / 2] + (std::uint64_t{1} << kLog2FractionBits)
                                 : static_cast<std::uint64_t>(compute(n));
        return made;
    }();
    return logs;
}

}  // namespace

Uint128 fixed_log2(std::uint64_t n) {
    assert(n >= 1);
    return n < kLog2TableSize ? Uint128{table()[n]} : compute(n);
}

}  // namespace tegu::kernels
