// SPDX-License-Identifier: Apache-2.0
// Work sizes on the CPU: thresholds for threads and non-temporal stores, and the number of blocks of some
// items.
#pragma once

#include <cstdint>

namespace tegu::kernels {

// The size of results of this many rows fits 64 bits.
constexpr std::uint64_t kMaxOutputRows = std::uint64_t{1} << 56;
constexpr std::uint64_t kParallelWorkNs = 20000;  // predicted work below which waking a thread does not pay

// Minimum output size for non-temporal stores, where the output is not an input: docs/operations/, "Speed" of
// the operations that use them.
constexpr std::uint64_t kStreamBytes = 16 << 20;  // larger outputs do not stay in a cache
constexpr std::uint64_t kStreamRunBytes = 4096;   // shorter contiguous runs have too many partial cache lines

inline std::uint64_t blocks_of(std::uint64_t items, std::uint64_t block) {
    return items / block + (items % block != 0);
}

inline std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return blocks_of(value, multiple) * multiple;
}

// Converts nanoseconds to an integer; values from 1e18 on become 1e18.
inline std::uint64_t predicted_work_ns(double ns) {
    return ns < 1e18 ? static_cast<std::uint64_t>(ns) : std::uint64_t{1000000000000000000};
}

}  // namespace tegu::kernels
