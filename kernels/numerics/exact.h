// SPDX-License-Identifier: Apache-2.0
// Exact integer arithmetic for the statistics of integers: totals of up to 256 bits and quotients that are
// rounded to f64 once, to nearest, ties to even.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/numerics/int128.h"

namespace tegu::kernels {

// An unsigned integer of 256 bits, little-endian limbs.
struct Uint256 {
    std::uint64_t limb[4] = {0, 0, 0, 0};

    static Uint256 from(Uint128 value) {
        return Uint256{{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64), 0, 0}};
    }
    bool fits_128() const { return limb[2] == 0 && limb[3] == 0; }
    Uint128 low_128() const { return (static_cast<Uint128>(limb[1]) << 64) | limb[0]; }
};

Uint256 multiply(Uint128 a, Uint128 b);
// value * factor. REQUIRES: the product fits.
Uint256 multiply(Uint256 value, std::uint64_t factor);
// a - b. REQUIRES: a >= b.
Uint256 subtract(const Uint256& a, const Uint256& b);

// numerator / denominator, correctly rounded. REQUIRES: 0 < denominator < 2^127.
double divide_rounded(const Uint256& numerator, Uint128 denominator);
// The integer itself, correctly rounded.
double to_double(const Uint256& value);

inline Uint128 magnitude_of(Int128 value) {
    return value < 0 ? Uint128{0} - static_cast<Uint128>(value) : static_cast<Uint128>(value);
}

// Decimal digits, for messages.
std::string to_string(Int128 value);
std::string to_string(Uint128 value);

}  // namespace tegu::kernels
