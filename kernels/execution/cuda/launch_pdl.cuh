// SPDX-License-Identifier: Apache-2.0
// launch_pdl(): a kernel whose blocks may begin while the launch before it in the stream still runs, so
// that what they do before they wait for it takes no time of its own. Devices from sm_90 and toolkits from
// 11.8 on can do that; elsewhere it is launch(), and the waits are nothing.
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

// Returns when the launch before has ended and what it wrote is seen. Every block of a kernel that is
// launched early calls it before it reads what launches wrote and before it writes: then those further back
// have ended, too.
TEGU_DEVICE void await_launch_before() {
#if TEGU_HAS_DEPENDENT_LAUNCH
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Blocks of the next launch, if that is an early one, may begin when all blocks of this one have called this
// or ended.
TEGU_DEVICE void pdl_trigger() {
#if TEGU_HAS_DEPENDENT_LAUNCH
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#if TEGU_EARLY_LAUNCHES
// Whether the code that the device runs of a kernel waits: not where it was compiled for an older device.
// Asked once for the kernels of a type, as all are compiled for the same devices.
template <class Kernel>
bool waits_for_launch_before(Kernel kernel, unsigned compute_capability) {
    static std::atomic<signed char> known[256];  // of each compute capability; 0: not asked
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

// As launch().
template <class... Parameters, class... Arguments>
LaunchStatus launch_pdl(void (*kernel)(Parameters...), const LaunchShape& shape, const DeviceLimits& limits,
                        Stream stream, Arguments... arguments) {
#if TEGU_EARLY_LAUNCHES
    if (waits_for_launch_before(kernel, limits.compute_capability)) {
        const LaunchStatus allowed = allow_shared(kernel, shape.shared_bytes);
        if (allowed != 0) return allowed;
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
    return launch(kernel, shape, stream, arguments...);
}

}  // namespace cuda
}  // namespace tegu
