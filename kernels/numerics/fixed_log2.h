// SPDX-License-Identifier: Apache-2.0
// log2 of integers in fixed point, computed with integer arithmetic only: no maths library can change a bit
// of an entropy. The algorithm in fixed_log2.cpp is the definition; docs/numerics.md gives its error.
#pragma once

#include <cstdint>

#include "kernels/numerics/int128.h"

namespace tegu::kernels {

inline constexpr unsigned kLog2FractionBits = 60;
inline constexpr std::uint64_t kLn2Fixed = 0xb17217f7d1cf79acu;  // ln 2 * 2^64, rounded

// log2(n) * 2^60, low by less than 1 + 1 / (8 ln 2) = 1.1803... and never high; exact for powers of two.
// Values up to kLog2TableSize - 1 come from a table, built at the first call. Any thread. REQUIRES: n >= 1.
Uint128 fixed_log2(std::uint64_t n);
// every count of the largest window of an image
inline constexpr std::uint32_t kLog2TableSize = 63 * 63 + 1;

}  // namespace tegu::kernels
