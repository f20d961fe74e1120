// SPDX-License-Identifier: Apache-2.0
// Sizes of work on the CPU: from which size on threads and stores past the caches pay, and how many blocks
// some items make.
#pragma once

#include <cstdint>

namespace tegu::kernels {

// Results of so many rows have a size that fits 64 bits.
constexpr std::uint64_t kMaxOutputRows = std::uint64_t{1} << 56;
constexpr std::uint64_t kParallelWorkNs = 20000;  // predicted work below which waking a thread does not pay

// Outputs that are written past the caches, where the input is not written over: docs/operations/, "Speed" of
// those that do it.
constexpr std::uint64_t kStreamBytes = 16 << 20;  // larger outputs do not stay in a cache
constexpr std::uint64_t kStreamRunBytes = 4096;   // shorter runs of neighbours have too many broken lines

inline std::uint64_t blocks_of(std::uint64_t items, std::uint64_t block) {
    return items / block + (items % block != 0);
}

inline std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return blocks_of(value, multiple) * multiple;
}

// Nanoseconds as an integer, however large they are.
inline std::uint64_t predicted_work_ns(double ns) {
    return ns < 1e18 ? static_cast<std::uint64_t>(ns) : std::uint64_t{1000000000000000000};
}

}  // namespace tegu::kernels
