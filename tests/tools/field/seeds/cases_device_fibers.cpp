// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/field/seeds/cases_device.h"
#include "tests/tools/field/seeds/fiber_gpu.h"

namespace tegu::field {

std::unique_ptr<GpuLab> open_test_lab(device::DeviceList& devices) {
    devices.devices = {device::fiber_device(0)};
    Result<std::unique_ptr<GpuLab>> lab = GpuLab::open(devices.devices.front());
    return lab ? std::move(*lab) : nullptr;
}
std::size_t test_allocations() {
    return device::fiber_allocations();
}
bool can_corrupt() {
    return true;
}
void corrupt(bool yes) {
    device::corrupt_results(yes);
}

}  // namespace tegu::field
