// SPDX-License-Identifier: Apache-2.0
// Additions to kernels/execution/cuda/simt.cuh for seed kernels: atomic sums of floats, constant tables,
// texture reads, and the entry of one kernel. nvcc turns each word into one intrinsic; a host compiler turns
// it into plain C++. C++14.
#pragma once

#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "tools/field/seeds/kernels/texture_handle.h"

#if defined(__CUDACC__)
#define TEGU_CONSTANT_TABLE __constant__
#else
#define TEGU_CONSTANT_TABLE const
#endif

namespace tegu {
namespace seeds {

// Global or shared memory. Returns the value before.
#if defined(__CUDACC__)
TEGU_DEVICE float atomic_add(float* at, float value) {
    return atomicAdd(at, value);
}
#else
inline float atomic_add(float* at, float value) {
    return cuda::atomic_change(at, [=](float old) { return old + value; });
}
#endif
TEGU_DEVICE void atomic_add(std::int64_t* at, std::int64_t value) {
    (void)cuda::atomic_add(reinterpret_cast<std::uint64_t*>(at), static_cast<std::uint64_t>(value));
}

// Entry i of a texture of f64. REQUIRES: i is below its count.
TEGU_DEVICE double fetch_number(TextureHandle table, unsigned i) {
#if defined(__CUDACC__)
    const int2 words = tex1Dfetch<int2>(static_cast<cudaTextureObject_t>(table), static_cast<int>(i));
    return __hiloint2double(words.y, words.x);
#else
    return static_cast<const double*>(host_texture(table).data)[i];
#endif
}
// Pixel (row, col) of a texture of f32. REQUIRES: it lies in the image.
TEGU_DEVICE float fetch_pixel(TextureHandle image, unsigned row, unsigned col) {
#if defined(__CUDACC__)
    return tex2D<float>(static_cast<cudaTextureObject_t>(image), static_cast<float>(col) + 0.5f,
                        static_cast<float>(row) + 0.5f);
#else
    const HostTexture& texture = host_texture(image);
    return static_cast<const float*>(texture.data)[std::uint64_t{row} * texture.row_stride + col];
#endif
}

// launch() without the question for more shared memory where a kernel needs none: the question takes a large
// part of the time of a short launch.
// REQUIRES: a kernel with dynamic shared memory has no static.
template <class... Parameters, class... Arguments>
cuda::LaunchStatus launch_seed(void (*kernel)(Parameters...), const cuda::LaunchShape& shape,
                               cuda::Stream stream, Arguments... arguments) {
    return shape.shared_bytes > cuda::kPlainSharedBytes
               ? cuda::launch(kernel, shape, stream, arguments...)
               : cuda::launch_plain(kernel, shape, stream, arguments...);
}

// The entry of a kernel for kernel reports. `arguments`: of its template.
template <class... Parameters>
cuda::KernelEntry kernel_entry(const char* stem, std::initializer_list<const char*> arguments,
                               void (*kernel)(Parameters...), unsigned threads, std::size_t shared_bytes,
                               const char* moves) {
    std::string name = stem;
    const char* separator = "<";
    for (const char* argument : arguments) {
        name += separator;
        name += argument;
        separator = ", ";
    }
    if (arguments.size() != 0) name += ">";
    return cuda::KernelEntry{name, reinterpret_cast<const void*>(kernel), threads, shared_bytes, moves};
}

}  // namespace seeds
}  // namespace tegu
