// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "kernels/cuda/context.h"

namespace tegu::cuda {

Result<void> check_cuda(LaunchStatus status, const char* call) {
    if (status == cudaSuccess) return {};
    const auto code = static_cast<cudaError_t>(status);
    const std::string said = std::string(call) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")";
    if (code == cudaErrorMemoryAllocation || code == cudaErrorLaunchOutOfResources) {
        cudaGetLastError();  // not a sticky error: takes it back
        return make_error(Status::OutOfMemory, said);
    }
    return make_error(Status::DeviceLost, said);
}

}  // namespace tegu::cuda
