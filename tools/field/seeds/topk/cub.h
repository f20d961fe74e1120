// SPDX-License-Identifier: Apache-2.0
// The full-sort rival of S1 by CUB, where the toolkit has it: values and indices, as tegu's own top-k gives
// them.
#pragma once

#include <cstdint>

#include "kernels/execution/cuda/launch.h"

namespace tegu::seeds {

// Bytes of work space for n values; 0: the toolkit has no CUB.
std::size_t cub_topk_space(std::uint32_t n);

struct CubMemory {
    void* space;
    std::size_t space_bytes;
    const std::uint32_t* order;   // [n]: 0, 1, 2 ... n - 1
    std::int32_t* sorted;         // [n]
    std::uint32_t* sorted_order;  // [n]
};
// out [k]: the largest distinct values of x [n], descending, then INT32_MIN. Several launches. REQUIRES:
// cub_topk_space(n) != 0.
cuda::LaunchStatus launch_cub_topk(const CubMemory& memory, const std::int32_t* x, std::uint32_t n,
                                   unsigned k, std::int32_t* out, cuda::Stream stream);

}  // namespace tegu::seeds
