// SPDX-License-Identifier: Apache-2.0
// C++17 if the toolkit has CUB 3, which requires it, else C++14.
#include "tools/bench/gpu/topk_peers.h"

#if defined(__has_include) && !defined(TEGU_NO_CUB)
#if __has_include(<cub/device/device_radix_sort.cuh>)
#define TEGU_HAS_CUB_SORT 1
#include <cub/device/device_radix_sort.cuh>
#endif
#if __has_include(<cub/device/device_topk.cuh>)
#define TEGU_HAS_CUB_TOPK 1
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#endif
#endif

namespace tegu {
namespace bench {

#if defined(TEGU_HAS_CUB_TOPK)
namespace {
cudaError_t call_topk(void* space, std::size_t& bytes, const std::int32_t* x, std::uint32_t n,
                      std::uint32_t k, std::int32_t* values, std::uint32_t* indices, cudaStream_t stream) {
    const auto requirements = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                       cuda::execution::output_ordering::unsorted);
    const auto environment = cuda::std::execution::env{cuda::stream_ref{stream}, requirements};
    return cub::DeviceTopK::MaxPairs(space, bytes, x, values, cuda::make_counting_iterator(std::uint32_t{0}),
                                     indices, n, k, environment);
}
}  // namespace

std::size_t cub_topk_bytes(std::uint32_t n, std::uint32_t k) {
    std::size_t bytes = 0;
    call_topk(nullptr, bytes, nullptr, n, k, nullptr, nullptr, nullptr);
    return bytes;
}
cudaError_t cub_topk(void* space, std::size_t bytes, const std::int32_t* x, std::uint32_t n, std::uint32_t k,
                     std::int32_t* values, std::uint32_t* indices, cudaStream_t stream) {
    return call_topk(space, bytes, x, n, k, values, indices, stream);
}
#else
std::size_t cub_topk_bytes(std::uint32_t, std::uint32_t) {
    return 0;
}
cudaError_t cub_topk(void*, std::size_t, const std::int32_t*, std::uint32_t, std::uint32_t, std::int32_t*,
                     std::uint32_t*, cudaStream_t) {
    return cudaErrorNotSupported;
}
#endif

#if defined(TEGU_HAS_CUB_SORT)
std::size_t cub_sort_bytes(std::uint32_t n) {
    std::size_t bytes = 0;
    cub::DeviceRadixSort::SortPairsDescending(
        nullptr, bytes, static_cast<const std::int32_t*>(nullptr), static_cast<std::int32_t*>(nullptr),
        static_cast<const std::uint32_t*>(nullptr), static_cast<std::uint32_t*>(nullptr), n);
    return bytes;
}
cudaError_t cub_sort(void* space, std::size_t bytes, const std::int32_t* x, const std::uint32_t* order,
                     std::uint32_t n, std::int32_t* values, std::uint32_t* indices, cudaStream_t stream) {
    return cub::DeviceRadixSort::SortPairsDescending(space, bytes, x, values, order, indices, n, 0, 32,
                                                     stream);
}
#else
std::size_t cub_sort_bytes(std::uint32_t) {
    return 0;
}
cudaError_t cub_sort(void*, std::size_t, const std::int32_t*, const std::uint32_t*, std::uint32_t,
                     std::int32_t*, std::uint32_t*, cudaStream_t) {
    return cudaErrorNotSupported;
}
#endif

}  // namespace bench
}  // namespace tegu
