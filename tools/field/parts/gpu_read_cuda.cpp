// SPDX-License-Identifier: Apache-2.0
// Built only with CUDA.
#include "kernels/execution/cuda/context.h"
#include "tools/bench/gpu/reduce_peers.h"
#include "tools/field/parts/gpu_read.h"

namespace tegu::field {

bool has_gpu_read() {
    return true;
}

Result<void> gpu_read(GpuLab& lab, const void* data, std::uint64_t bytes, void* out) {
    return cuda::check_cuda(
        bench::read_all(data, bytes, static_cast<unsigned*>(out), lab.limits().multiprocessors, lab.stream()),
        "read");
}

}  // namespace tegu::field
