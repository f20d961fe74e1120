// SPDX-License-Identifier: Apache-2.0
// The number of blocks of a launch, and the unsigned type of a width. A launch fills the device a few times,
// but has no more blocks than work.
#pragma once

#include <cstdint>

#include "kernels/execution/cuda/launch.cuh"
#include "kernels/numerics/unsigned_of.h"

namespace tegu {
namespace cuda {

constexpr unsigned kMaxThreads =
    1024;  // of a block: kernels without a policy limit leave registers for this many

// Threads of a block for kernels with TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters).
inline unsigned max_threads(const DeviceLimits& limits) {
    return limits.max_threads(kMaxThreads);
}
inline unsigned block_threads_of(unsigned policy_threads, const DeviceLimits& limits) {
    return policy_threads < max_threads(limits) ? policy_threads : max_threads(limits);
}

// Blocks for `items` in a grid-stride loop, one item per thread and step: `waves` times the resident blocks.
inline unsigned blocks_for(std::uint64_t items, unsigned threads, unsigned waves,
                           const DeviceLimits& limits) {
    const std::uint64_t wanted = (items + threads - 1) / threads;
    const std::uint64_t resident =
        std::uint64_t{limits.multiprocessors} * (limits.threads_per_multiprocessor / threads);
    const std::uint64_t max = resident * waves > 0 ? resident * waves : 1;
    const std::uint64_t blocks = wanted < max ? wanted : max;
    return blocks > 0 ? static_cast<unsigned>(blocks) : 1u;
}

}  // namespace cuda
}  // namespace tegu
