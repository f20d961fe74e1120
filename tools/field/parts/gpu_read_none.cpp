// SPDX-License-Identifier: Apache-2.0
// A build without CUDA.
#include "tools/field/parts/gpu_read.h"

namespace tegu::field {

bool has_gpu_read() {
    return false;
}

Result<void> gpu_read(GpuLab&, const void*, std::uint64_t, void*) {
    return make_error(Status::Unsupported, "this program was built without CUDA");
}

}  // namespace tegu::field
