// SPDX-License-Identifier: Apache-2.0
// The peer of histograms on a GPU: CUB's histogram of even bins, if the toolkit has it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tegu {
namespace bench {

// Bytes of work space for up to n elements, n < 2^31; 0 where the toolkit has no CUB.
std::size_t cub_histogram_bytes(std::int32_t n, std::int32_t bins);
// cub::DeviceHistogram::HistogramEven of n f32 or u8: bins from lo to hi.
cudaError_t cub_histogram(void* space, std::size_t bytes, const float* x, std::int32_t n, unsigned* counts,
                          std::int32_t bins, float lo, float hi, cudaStream_t stream);
cudaError_t cub_histogram(void* space, std::size_t bytes, const std::uint8_t* x, std::int32_t n,
                          unsigned* counts, std::int32_t bins, float lo, float hi, cudaStream_t stream);

}  // namespace bench
}  // namespace tegu
