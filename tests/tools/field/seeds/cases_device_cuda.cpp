// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/field/seeds/cases_device.h"

namespace tegu::field {

std::unique_ptr<GpuLab> open_test_lab(device::DeviceList& devices) {
    devices = device::probe_devices();
    const Result<device::DeviceInfo> chosen = device::choose_device(devices, device::DeviceWish());
    if (!chosen) {
        devices.reason = chosen.error().message;
        return nullptr;
    }
    Result<std::unique_ptr<GpuLab>> lab = GpuLab::open(*chosen);
    if (lab) return std::move(*lab);
    devices.reason = lab.error().message;
    return nullptr;
}
std::size_t test_allocations() {
    return 0;
}
bool can_corrupt() {
    return false;
}
void corrupt(bool) {}

}  // namespace tegu::field
