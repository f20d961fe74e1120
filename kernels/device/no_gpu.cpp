// SPDX-License-Identifier: Apache-2.0
// A build without CUDA: it has no devices and reports that as the reason.
#include "kernels/device/gpu.h"

namespace tegu::device {

Span<const unsigned> built_architectures() {
    return {};
}

DeviceList probe_devices(const ModuleSearch&) {
    DeviceList list;
    list.reason = "built without CUDA";
    return list;
}

bool may_have_gpus(const ModuleSearch&) {
    return false;
}

Result<std::unique_ptr<Gpu>> open_gpu(const DeviceInfo&, const GpuLimits&) {
    return make_error(Status::Unavailable, "built without CUDA");
}

}  // namespace tegu::device
