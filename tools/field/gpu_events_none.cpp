// SPDX-License-Identifier: Apache-2.0
// A build without CUDA.
#include "tools/field/gpu_events.h"

namespace tegu::field {

Result<std::unique_ptr<GpuEvents>> GpuEvents::create() {
    return make_error(Status::Unavailable, "this program was built without CUDA");
}

}  // namespace tegu::field
