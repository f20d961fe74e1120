// SPDX-License-Identifier: Apache-2.0
// Peers of top-k on a GPU: CUB's top-k and its sort of pairs, if the toolkit has them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tegu {
namespace bench {

// Bytes of work space for the largest k of n 32-bit integers with their indices, by cub::DeviceTopK
// (unsorted, ties at random) and by cub::DeviceRadixSort; 0 where the toolkit does not have it.
std::size_t cub_topk_bytes(std::uint32_t n, std::uint32_t k);
std::size_t cub_sort_bytes(std::uint32_t n);
cudaError_t cub_topk(void* space, std::size_t bytes, const std::int32_t* x, std::uint32_t n, std::uint32_t k,
                     std::int32_t* values, std::uint32_t* indices, cudaStream_t stream);
// All n, descending; `order` holds 0, 1, 2 ... n - 1.
cudaError_t cub_sort(void* space, std::size_t bytes, const std::int32_t* x, const std::uint32_t* order,
                     std::uint32_t n, std::int32_t* values, std::uint32_t* indices, cudaStream_t stream);

}  // namespace bench
}  // namespace tegu
