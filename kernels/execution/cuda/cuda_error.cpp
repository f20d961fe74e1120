// SPDX-License-Identifier: Apache-2.0
// What an error of CUDA means for the process. After a sticky one every later call of the context fails: the
// process has to end. All else is the answer of one call, and no harm to the next.
#include <cuda_runtime_api.h>

#include "kernels/execution/cuda/context.h"

namespace tegu::cuda {
namespace {

Status status_of(cudaError_t code) {
    switch (code) {
        // Memory of the device, or of a kernel: asked for less, or later, the same call succeeds.
        case cudaErrorMemoryAllocation:
        case cudaErrorLaunchOutOfResources: return Status::OutOfMemory;

        // A kernel broke a rule, or ran too long: CUDA ends the context.
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure:
        // The hardware: its memory or its links cannot be trusted.
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        // There is no context, or no driver below it, any more.
        case cudaErrorInitializationError:
        case cudaErrorCudartUnloading:
        case cudaErrorContextIsDestroyed:
        case cudaErrorDevicesUnavailable:
        case cudaErrorNoDevice:
        case cudaErrorSystemNotReady:
        case cudaErrorSystemDriverMismatch:
        // The driver itself does not know: what follows is not to be trusted.
        case cudaErrorUnknown: return Status::DeviceLost;

        default: break;
    }
    // By number, for toolkits that have no name for them.
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
    // capture, ...: a call that was wrong or cannot be had here. It had no effect.
    return Status::Internal;
}

}  // namespace

Result<void> check_cuda(LaunchStatus status, const char* call) {
    if (status == cudaSuccess) return {};
    const auto code = static_cast<cudaError_t>(status);
    const std::string said =
        std::string(call) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")";
    (void)cudaGetLastError();  // it has been told; a sticky one comes again
    return make_error(status_of(code), said);
}

}  // namespace tegu::cuda
