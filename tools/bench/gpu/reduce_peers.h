// SPDX-License-Identifier: Apache-2.0
// Peers of sums on a GPU: CUB's sum, if the toolkit has it, and a kernel that only reads.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tegu {
namespace bench {

// As CUB_VERSION: major * 100000 + minor * 100 + patch; 0 where there is no CUB.
unsigned cub_version();
// Bytes of work space; 0 where the toolkit has no CUB.
std::size_t cub_sum_bytes(std::uint64_t n);
// cub::DeviceReduce::Sum of n f32 or u8 (into f32, u64).
cudaError_t cub_sum(void* space, std::size_t bytes, const float* x, float* sum, std::uint64_t n,
                    cudaStream_t stream);
cudaError_t cub_sum(void* space, std::size_t bytes, const std::uint8_t* x, std::uint64_t* sum,
                    std::uint64_t n, cudaStream_t stream);
// Reads `bytes`, a multiple of 16, in packs of 16.
cudaError_t read_all(const void* x, std::uint64_t bytes, unsigned* out, unsigned multiprocessors,
                     cudaStream_t stream);

}  // namespace bench
}  // namespace tegu
