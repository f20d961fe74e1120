// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/device_info.h"

#include <algorithm>
#include <iterator>

namespace tegu::device {
namespace {

// Tegra chips. Their machine code runs only on the same chip, and other machine code does not run on them.
constexpr unsigned kIntegratedArchitectures[] = {32, 53, 62, 72, 87, 101, 110};

bool is_integrated_architecture(unsigned architecture) {
    return std::find(std::begin(kIntegratedArchitectures), std::end(kIntegratedArchitectures),
                     architecture) != std::end(kIntegratedArchitectures);
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string device_name(const DeviceInfo& device) {
    return "GPU " + std::to_string(device.ordinal) + " (" + device.name + ")";
}

}  // namespace

bool runs_code_for(unsigned built, unsigned compute_capability, bool integrated) {
    if (built == compute_capability) return true;
    if (integrated || is_integrated_architecture(built)) return false;
    return built / 10 == compute_capability / 10 && built < compute_capability;
}

std::string missing_code_reason(Span<const unsigned> built, unsigned compute_capability, bool integrated) {
    std::string list;
    for (const unsigned architecture : built) {
        if (runs_code_for(architecture, compute_capability, integrated)) return {};
        list += (list.empty() ? "sm_" : ", sm_") + std::to_string(architecture);
    }
    if (list.empty()) return "built without CUDA";
    return "no machine code for sm_" + std::to_string(compute_capability) + "; there is code for " + list;
}

std::string probe_failure_reason(ProbeFailure failure, int driver, int runtime, std::string_view said) {
    const std::string words(said);
    switch (failure) {
        case ProbeFailure::NoDevice: return "no CUDA device";
        case ProbeFailure::DriverTooOld:
            if (driver == 0) return "no NVIDIA driver";
            return "the NVIDIA driver is too old: it is made for CUDA " + version_text(driver) +
                   ", the GPU backend for CUDA " + version_text(runtime);
        case ProbeFailure::DriverMismatch: return "the parts of the NVIDIA driver do not match: " + words;
        case ProbeFailure::Other: break;
    }
    const std::string version = driver == 0 ? "" : " (CUDA " + version_text(driver) + ")";
    return "the CUDA runtime " + version_text(runtime) + " cannot use the driver" + version + ": " + words;
}

Result<DeviceInfo> choose_device(const DeviceList& list, const DeviceWish& wish) {
    if (list.devices.empty()) return make_error(Status::Unavailable, list.reason);
    const auto count = static_cast<int>(list.devices.size());
    if (wish.ordinal >= count)
        return bad_range("gpu.devices", count == 1 ? "0" : "0.." + std::to_string(count - 1),
                         "there is no GPU " + std::to_string(wish.ordinal));
    auto found = list.devices.begin() + std::max(0, wish.ordinal);
    if (wish.ordinal < 0) {
        found = std::find_if(list.devices.begin(), list.devices.end(),
                             [](const DeviceInfo& device) { return device.unusable.empty(); });
        if (found == list.devices.end()) found = list.devices.begin();
    }
    if (!found->unusable.empty())
        return make_error(Status::Unavailable, device_name(*found) + ": " + found->unusable);
    DeviceInfo device = *found;
    if (wish.memory_class == MemoryClass::None) return device;
    Result<MemoryClass> forced = force_memory_class(wish.memory_class, device.attributes);
    if (!forced) return std::move(forced).error();
    device.memory_class = *forced;
    return device;
}

}  // namespace tegu::device
