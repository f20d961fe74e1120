// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "tools/field/seeds/seed_gpu.h"

namespace tegu::field {

Result<std::string> resource_note(const cuda::KernelEntry& entry) {
    cudaFuncAttributes attributes;
    const Result<void> asked =
        cuda::check_cuda(cudaFuncGetAttributes(&attributes, entry.function), "cudaFuncGetAttributes");
    if (!asked) return asked.error();
    return entry.name + ": " + std::to_string(attributes.localSizeBytes) + " B local, " +
           std::to_string(attributes.constSizeBytes) + " B constant, " +
           std::to_string(attributes.sharedSizeBytes) + " + " + std::to_string(entry.shared_bytes) +
           " B static and dynamic shared, blocks up to " + std::to_string(attributes.maxThreadsPerBlock) +
           " threads";
}

}  // namespace tegu::field
