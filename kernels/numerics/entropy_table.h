// SPDX-License-Identifier: Apache-2.0
// The integer table of every entropy: F[n] = round(n * log(n) * 2^shift). It uses only integer arithmetic, so
// no maths library can change a bit of a result. Every entry is correctly rounded
// (tests/kernels/numerics/entropy_table_test.cpp).
#pragma once

#include <cstdint>

#include "base/job.h"
#include "base/span.h"

namespace tegu::kernels {

inline constexpr std::uint32_t kMaxEntropyCount = 63 * 63;  // pixels of the largest window
inline constexpr unsigned kMaxEntropyShift = 24;

// The largest shift <= 24 for which F[n_max] < 2^31, so that all sums of a window fit 32 bits. At least 15.
// REQUIRES: 1 <= n_max <= kMaxEntropyCount.
unsigned entropy_table_shift(LogBase base, std::uint32_t n_max);

// table[n] = F[n] for n = 0 .. table.size() - 1; F[0] = F[1] = 0. Any thread.
// REQUIRES: table.size() <= kMaxEntropyCount + 1, shift <= entropy_table_shift(base, table.size() - 1).
void fill_entropy_table(LogBase base, unsigned shift, Span<std::uint32_t> table);

}  // namespace tegu::kernels
