// SPDX-License-Identifier: Apache-2.0
// C++17 if the toolkit has CUB 3, which requires it, else C++14.
#include "tools/bench/gpu/histogram_peers.h"

#if defined(__has_include) && !defined(TEGU_NO_CUB)
#if __has_include(<cub/cub.cuh>)
#define TEGU_HAS_CUB 1
#include <cub/cub.cuh>
#endif
#endif

namespace tegu {
namespace bench {

#if defined(TEGU_HAS_CUB)
namespace {

// Levels of bytes are whole numbers: CUB bins them by integers.
cudaError_t even(void* space, std::size_t* bytes, const float* x, std::int32_t n, unsigned* counts,
                 std::int32_t bins, float lo, float hi, cudaStream_t stream) {
    return cub::DeviceHistogram::HistogramEven(space, *bytes, x, counts, bins + 1, lo, hi, n, stream);
}
cudaError_t even(void* space, std::size_t* bytes, const std::uint8_t* x, std::int32_t n, unsigned* counts,
                 std::int32_t bins, float lo, float hi, cudaStream_t stream) {
    return cub::DeviceHistogram::HistogramEven(space, *bytes, x, counts, bins + 1,
                                               static_cast<std::int32_t>(lo), static_cast<std::int32_t>(hi),
                                               n, stream);
}

}  // namespace

std::size_t cub_histogram_bytes(std::int32_t n, std::int32_t bins) {
    std::size_t floats = 0, bytes = 0;
    even(nullptr, &floats, static_cast<const float*>(nullptr), n, nullptr, bins, 0, 1, nullptr);
    even(nullptr, &bytes, static_cast<const std::uint8_t*>(nullptr), n, nullptr, bins, 0, 256, nullptr);
    return floats > bytes ? floats : bytes;
}
cudaError_t cub_histogram(void* space, std::size_t bytes, const float* x, std::int32_t n, unsigned* counts,
                          std::int32_t bins, float lo, float hi, cudaStream_t stream) {
    return even(space, &bytes, x, n, counts, bins, lo, hi, stream);
}
cudaError_t cub_histogram(void* space, std::size_t bytes, const std::uint8_t* x, std::int32_t n,
                          unsigned* counts, std::int32_t bins, float lo, float hi, cudaStream_t stream) {
    return even(space, &bytes, x, n, counts, bins, lo, hi, stream);
}
#else
std::size_t cub_histogram_bytes(std::int32_t, std::int32_t) {
    return 0;
}
cudaError_t cub_histogram(void*, std::size_t, const float*, std::int32_t, unsigned*, std::int32_t, float,
                          float, cudaStream_t) {
    return cudaErrorNotSupported;
}
cudaError_t cub_histogram(void*, std::size_t, const std::uint8_t*, std::int32_t, unsigned*, std::int32_t,
                          float, float, cudaStream_t) {
    return cudaErrorNotSupported;
}
#endif

}  // namespace bench
}  // namespace tegu
