// SPDX-License-Identifier: Apache-2.0
// launch_pdl(): starts a kernel whose blocks may begin while the previous launch in the stream still runs. So
// the work before their wait costs no extra time. Needs sm_90 and toolkit 11.8; elsewhere it is launch(), and
// the waits do nothing.
#pragma once

#include "kernels/execution/cuda/launch.cuh"

#if defined(__CUDACC__) && \
    (__CUDACC_VER_MAJOR__ > 11 || (__CUDACC_VER_MAJOR__ == 11 && __CUDACC_VER_MINOR__ >= 8))
#define TEGU_EARLY_LAUNCHES 1
#include <atomic>
#else
#define TEGU_EARLY_LAUNCHES 0
#endif

namespace tegu {
namespace cuda {

// Returns when the previous launch has ended and its writes are visible. In a kernel that is launched early,
// every block calls it before it reads results of launches and before it writes. Then all earlier launches
// have ended, too.
TEGU_DEVICE void await_launch_before() {
#if TEGU_HAS_DEPENDENT_LAUNCH
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Blocks of the next launch, if launched early, may begin when all blocks of this one have called this or
// ended.
TEGU_DEVICE void pdl_trigger() {
#if TEGU_HAS_DEPENDENT_LAUNCH
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#if TEGU_EARLY_LAUNCHES
// Returns whether the kernel's code on this device waits; code for an older device does not. Queried once for
// each kernel type, because all kernels are compiled for the same devices.
template <class Kernel>
bool waits_for_launch_before(Kernel kernel, unsigned compute_capability) {
    static std::atomic<signed char> known[256];  // by compute capability; 0: not queried
    if (!has_dependent_launch(compute_capability) || compute_capability >= 256) return false;
    std::atomic<signed char>& answer = known[compute_capability];
    if (answer == 0) {
        cudaFuncAttributes attributes;
        if (cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)) != cudaSuccess) {
            static_cast<void>(cudaGetLastError());
            return false;
        }
        answer = has_dependent_launch(static_cast<unsigned>(attributes.ptxVersion)) ? 1 : -1;
    }
    return answer > 0;
}
#endif

// As launch_plain().
template <class... Parameters, class... Arguments>
LaunchStatus launch_pdl_plain(void (*kernel)(Parameters...), const LaunchShape& shape,
                              const DeviceLimits& limits, Stream stream, Arguments... arguments) {
#if TEGU_EARLY_LAUNCHES
    if (waits_for_launch_before(kernel, limits.compute_capability)) {
        cudaLaunchAttribute early{};
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(shape.blocks_x, shape.blocks_y);
        config.blockDim = dim3(shape.threads);
        config.dynamicSmemBytes = shape.shared_bytes;
        config.stream = stream;
        config.attrs = &early;
        config.numAttrs = 1;
        return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
    }
#else
    static_cast<void>(limits);
#endif
    return launch_plain(kernel, shape, stream, arguments...);
}

// As launch().
template <class... Parameters, class... Arguments>
LaunchStatus launch_pdl(void (*kernel)(Parameters...), const LaunchShape& shape, const DeviceLimits& limits,
                        Stream stream, Arguments... arguments) {
    const LaunchStatus allowed = allow_shared(kernel, shape.shared_bytes);
    return allowed != 0 ? allowed : launch_pdl_plain(kernel, shape, limits, stream, arguments...);
}

}  // namespace cuda
}  // namespace tegu
