// SPDX-License-Identifier: Apache-2.0
// A build without CUDA.
#include "tools/field/gpu_meter.h"

namespace tegu::field {

Result<std::unique_ptr<GpuMeter>> GpuMeter::create(const cuda::DeviceLimits&) {
    return make_error(Status::Unavailable, "this program was built without CUDA");
}

}  // namespace tegu::field
