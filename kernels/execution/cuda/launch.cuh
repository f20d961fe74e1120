// SPDX-License-Identifier: Apache-2.0
// launch(): starts a kernel on a stream and checks the error. Compiled for the host, it runs the grid in
// tests/simt before it returns.
#pragma once

#include "kernels/execution/cuda/launch.h"
#include "kernels/execution/cuda/simt.cuh"

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>
#else
#include <functional>
#endif

namespace tegu {

#if !defined(__CUDACC__)
namespace simt {
// Runs every thread of every block; `thread` is the kernel with its arguments.
void run_grid(const cuda::LaunchShape& shape, const std::function<void()>& thread);
}  // namespace simt
#endif

namespace cuda {

// Passes arguments by value. A block has at most kPlainSharedBytes of dynamic and static shared memory: a
// request for more would take a large part of the time of a short launch. Returns the error of this launch;
// errors of the run appear at the next synchronisation.
template <class... Parameters, class... Arguments>
LaunchStatus launch_plain(void (*kernel)(Parameters...), const LaunchShape& shape, Stream stream,
                          Arguments... arguments) {
#if defined(__CUDACC__)
    kernel<<<dim3(shape.blocks_x, shape.blocks_y), shape.threads, shape.shared_bytes, stream>>>(arguments...);
    return cudaGetLastError();
#else
    static_cast<void>(stream);
    simt::run_grid(shape, [=] { kernel(arguments...); });
    return 0;
#endif
}

// Allows launches of a kernel to use this much dynamic shared memory. Always called if there is any, because
// the kernel's static part is unknown here.
template <class... Parameters>
LaunchStatus allow_shared(void (*kernel)(Parameters...), std::size_t shared_bytes) {
#if defined(__CUDACC__)
    if (shared_bytes == 0) return 0;
    return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
#else
    static_cast<void>(kernel);
    static_cast<void>(shared_bytes);
    return 0;
#endif
}

// launch_plain() with any amount of dynamic shared memory.
template <class... Parameters, class... Arguments>
LaunchStatus launch(void (*kernel)(Parameters...), const LaunchShape& shape, Stream stream,
                    Arguments... arguments) {
    const LaunchStatus allowed = allow_shared(kernel, shape.shared_bytes);
    return allowed != 0 ? allowed : launch_plain(kernel, shape, stream, arguments...);
}

// Zeroes memory on the stream.
inline LaunchStatus zero(void* data, std::size_t bytes, Stream stream) {
#if defined(__CUDACC__)
    return cudaMemsetAsync(data, 0, bytes, stream);
#else
    static_cast<void>(stream);
    memset(data, 0, bytes);
    return 0;
#endif
}

}  // namespace cuda
}  // namespace tegu
