// SPDX-License-Identifier: Apache-2.0
#include "kernels/numerics/exact.h"

#include <cassert>
#include <cmath>

namespace tegu::kernels {
namespace {

int bit_length(std::uint64_t value) {
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

int bit_length(Uint128 value) {
    const auto high = static_cast<std::uint64_t>(value >> 64);
    return high != 0 ? 64 + bit_length(high) : bit_length(static_cast<std::uint64_t>(value));
}

int bit_length(const Uint256& value) {
    for (int i = 3; i >= 0; --i)
        if (value.limb[i] != 0) return 64 * i + bit_length(value.limb[i]);
    return 0;
}

bool bit_at(const Uint256& value, int bit) {
    return bit >= 0 && ((value.limb[bit / 64] >> (bit % 64)) & 1u) != 0;
}

// (quotient + a fraction in (0, 1) if sticky) * 2^exponent. The conversion of a 64-bit integer rounds to
// nearest even, and a set low bit below the rounding position represents the fraction. REQUIRES: quotient >=
// 2^55, unless sticky is false.
double round_scaled(std::uint64_t quotient, bool sticky, int exponent) {
    return std::ldexp(static_cast<double>(quotient | (sticky ? 1u : 0u)), exponent);
}

// Uses the hardware's 128-bit division: the numerator is shifted up to bit 127, so the quotient has at least
// 63 bits.
double divide_short(Uint128 numerator, std::uint64_t denominator) {
    const int shift = 128 - bit_length(numerator);
    const Uint128 shifted = numerator << shift;
    const Uint128 quotient = shifted / denominator;
    const bool sticky = quotient * denominator != shifted;
    const int excess = bit_length(quotient) > 64 ? bit_length(quotient) - 64 : 0;
    const bool lost = (quotient & ((Uint128{1} << excess) - 1)) != 0;
    return round_scaled(static_cast<std::uint64_t>(quotient >> excess), sticky || lost, excess - shift);
}

// Bit by bit: computes 64 quotient bits from the leading one.
double divide_long(const Uint256& numerator, Uint128 denominator) {
    Uint128 rest = 0;
    std::uint64_t quotient = 0;
    int bit = bit_length(numerator) - 1;
    for (; bit_length(quotient) < 62; --bit) {
        rest = (rest << 1) | (bit_at(numerator, bit) ? 1u : 0u);
        quotient <<= 1;
        if (rest >= denominator) {
            rest -= denominator;
            quotient |= 1u;
        }
    }
    bool sticky = rest != 0;
    for (int below = bit; below >= 0 && !sticky; --below) sticky = bit_at(numerator, below);
    return round_scaled(quotient, sticky, bit + 1);
}

}  // namespace

Uint256 multiply(Uint256 value, std::uint64_t factor) {
    Uint256 product;
    Uint128 carry = 0;
    for (int i = 0; i < 4; ++i) {
        carry += static_cast<Uint128>(value.limb[i]) * factor;
        product.limb[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    assert(carry == 0);
    return product;
}

Uint256 multiply(Uint128 a, Uint128 b) {
    const Uint256 low = multiply(Uint256::from(a), static_cast<std::uint64_t>(b));
    const Uint256 high = multiply(Uint256::from(a), static_cast<std::uint64_t>(b >> 64));
    Uint256 sum;
    Uint128 carry = 0;
    for (int i = 0; i < 4; ++i) {
        carry += static_cast<Uint128>(low.limb[i]) + (i > 0 ? high.limb[i - 1] : 0);
        sum.limb[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return sum;
}

Uint256 subtract(const Uint256& a, const Uint256& b) {
    Uint256 difference;
    std::uint64_t borrow = 0;
    for (int i = 0; i < 4; ++i) {
        const Uint128 d = static_cast<Uint128>(a.limb[i]) - b.limb[i] - borrow;
        difference.limb[i] = static_cast<std::uint64_t>(d);
        borrow = static_cast<std::uint64_t>(d >> 64) & 1u;
    }
    assert(borrow == 0);
    return difference;
}

double divide_rounded(const Uint256& numerator, Uint128 denominator) {
    assert(denominator != 0);
    constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // both sides exact in f64: one IEEE division
    if (numerator.fits_128()) {
        const Uint128 n = numerator.low_128();
        if (n == 0) return 0;
        if (n <= kExact && denominator <= kExact)
            return static_cast<double>(static_cast<std::uint64_t>(n)) /
                   static_cast<double>(static_cast<std::uint64_t>(denominator));
        if ((denominator >> 64) == 0) return divide_short(n, static_cast<std::uint64_t>(denominator));
    }
    return divide_long(numerator, denominator);
}

double to_double(const Uint256& value) {
    return divide_rounded(value, 1);
}

std::string to_string(Uint128 value) {
    std::string digits;
    do {
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
        value /= 10;
    } while (value != 0);
    return digits;
}

std::string to_string(Int128 value) {
    return (value < 0 ? "-" : "") + to_string(magnitude_of(value));
}

}  // namespace tegu::kernels
