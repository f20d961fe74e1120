// SPDX-License-Identifier: Apache-2.0
// The effect of a CUDA error on the process. After a sticky error every later call of the context fails, so
// the process must end. Any other error concerns one call and does not affect the next.
#include <cuda_runtime_api.h>

#include "kernels/execution/cuda/context.h"

namespace tegu::cuda {
namespace {

Status status_of(cudaError_t code) {
    switch (code) {
        // Memory of the device, or of a kernel: a smaller or a later request may succeed.
        case cudaErrorMemoryAllocation:
        case cudaErrorLaunchOutOfResources: return Status::OutOfMemory;

        // A kernel made an illegal access or ran too long: CUDA ends the context.
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure:
        // Hardware faults: memory or links are unreliable.
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        // The context, or the driver below it, is gone.
        case cudaErrorInitializationError:
        case cudaErrorCudartUnloading:
        case cudaErrorContextIsDestroyed:
        case cudaErrorDevicesUnavailable:
        case cudaErrorNoDevice:
        case cudaErrorSystemNotReady:
        case cudaErrorSystemDriverMismatch:
        // The driver cannot name the cause, so later results are unreliable.
        case cudaErrorUnknown: return Status::DeviceLost;

        default: break;
    }
    // Matched by number, because older toolkits have no name for them.
    switch (static_cast<int>(code)) {
        case 226:  // cudaErrorContained: a memory error that ended the context
        case 721:  // cudaErrorTensorMemoryLeak
        case 805:  // cudaErrorMpsConnectionFailed
        case 806:  // cudaErrorMpsRpcFailure
        case 807:  // cudaErrorMpsServerNotReady
        case 810:  // cudaErrorMpsClientTerminated: another client of the server broke the context
        case 911:  // cudaErrorExternalDevice
            return Status::DeviceLost;
        default: break;
    }
    // Invalid value, configuration, symbol or handle, not supported, no kernel image, not permitted, stream
    // capture, ...: the call was wrong or is unsupported here. It had no effect.
    return Status::Internal;
}

}  // namespace

Result<void> check_cuda(LaunchStatus status, const char* call) {
    if (status == cudaSuccess) return {};
    const auto code = static_cast<cudaError_t>(status);
    const std::string said =
        std::string(call) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")";
    (void)cudaGetLastError();  // clears the reported error; a sticky one returns
    return make_error(status_of(code), said);
}

}  // namespace tegu::cuda
