// SPDX-License-Identifier: Apache-2.0
// The device of a module of the tests: one that runs kernels as fibers.
#include "tests/kernels/cuda/fiber_gpu.h"

namespace tegu::device {

Span<const unsigned> built_architectures() {
    static constexpr unsigned kBuilt[] = {53};
    return kBuilt;
}

bool may_have_gpus(const ModuleSearch&) {
    return true;
}

DeviceList probe_devices(const ModuleSearch&) {
    DeviceInfo device = describe_fibers();
    device.memory_class = MemoryClass::Discrete;
    return {{device}, ""};
}

Result<std::unique_ptr<Gpu>> open_gpu(const DeviceInfo& device, const GpuLimits&) {
    return std::unique_ptr<Gpu>(std::make_unique<FiberGpu>(device));
}

}  // namespace tegu::device
