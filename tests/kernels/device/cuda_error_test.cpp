// SPDX-License-Identifier: Apache-2.0
// What each error of CUDA means for the daemon: an answer, or its end. Needs no GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "kernels/execution/cuda/context.h"

namespace tegu::cuda {
namespace {

Status status_of(cudaError_t code) {
    return check_cuda(code, "call").error().status;
}

TEST(CudaError, SuccessIsNone) {
    EXPECT_TRUE(check_cuda(cudaSuccess, "call").ok());
}

TEST(CudaError, NamesTheCallAndTheError) {
    const Result<void> failed = check_cuda(cudaErrorIllegalAddress, "reduce");
    EXPECT_EQ("reduce: an illegal memory access was encountered (cudaErrorIllegalAddress)",
              failed.error().message);
}

TEST(CudaError, FullMemoryIsAnAnswer) {
    for (const cudaError_t code : {cudaErrorMemoryAllocation, cudaErrorLaunchOutOfResources})
        EXPECT_EQ(Status::OutOfMemory, status_of(code)) << cudaGetErrorName(code);
}

TEST(CudaError, StickyOnesLoseTheDevice) {
    for (const cudaError_t code :
         {cudaErrorIllegalAddress, cudaErrorLaunchTimeout, cudaErrorAssert, cudaErrorHardwareStackError,
          cudaErrorIllegalInstruction, cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace,
          cudaErrorInvalidPc, cudaErrorLaunchFailure, cudaErrorECCUncorrectable, cudaErrorNvlinkUncorrectable,
          cudaErrorContextIsDestroyed, cudaErrorCudartUnloading, cudaErrorUnknown})
        EXPECT_EQ(Status::DeviceLost, status_of(code)) << cudaGetErrorName(code);
}

TEST(CudaError, RefusedCallsAreNoLoss) {
    for (const cudaError_t code :
         {cudaErrorInvalidValue, cudaErrorInvalidConfiguration, cudaErrorInvalidDeviceFunction,
          cudaErrorInvalidResourceHandle, cudaErrorNotSupported, cudaErrorNotPermitted,
          cudaErrorNoKernelImageForDevice, cudaErrorCooperativeLaunchTooLarge,
          cudaErrorHostMemoryAlreadyRegistered, cudaErrorNotReady, cudaErrorInvalidDevice})
        EXPECT_EQ(Status::Internal, status_of(code)) << cudaGetErrorName(code);
    EXPECT_EQ(Status::Internal, status_of(static_cast<cudaError_t>(98765)));
}

}  // namespace
}  // namespace tegu::cuda
