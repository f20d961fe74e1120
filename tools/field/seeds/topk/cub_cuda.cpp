// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/gpu/topk_peers.h"
#include "tools/field/seeds/topk/cub.h"
#include "tools/field/seeds/topk/first.h"

namespace tegu::seeds {

std::size_t cub_topk_space(std::uint32_t n) {
    return bench::cub_sort_bytes(n);
}

cuda::LaunchStatus launch_cub_topk(const CubMemory& memory, const std::int32_t* x, std::uint32_t n,
                                   unsigned k, std::int32_t* out, cuda::Stream stream) {
    const cudaError_t sorted = bench::cub_sort(memory.space, memory.space_bytes, x, memory.order, n,
                                               memory.sorted, memory.sorted_order, stream);
    return sorted != cudaSuccess ? sorted : launch_first_distinct(memory.sorted, n, k, out, stream);
}

}  // namespace tegu::seeds
