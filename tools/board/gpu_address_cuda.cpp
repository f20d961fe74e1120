// SPDX-License-Identifier: Apache-2.0
// Built only with CUDA.
#include <cuda_runtime_api.h>

#include "tools/board/source.h"

namespace tegu::board {

std::string gpu_address(int ordinal) {
    char text[64] = "";
    if (cudaDeviceGetPCIBusId(text, sizeof text, ordinal) == cudaSuccess) return text;
    (void)cudaGetLastError();
    return {};
}

}  // namespace tegu::board
