// SPDX-License-Identifier: Apache-2.0
// Shared by identity.cpp and watch.cpp: values of the health readers as optional numbers, and the management
// library if available.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "daemon/health/board/snapshot.h"
#include "kernels/device/device_info.h"
#include "tools/board/identity.h"
#include "tools/board/nvml.h"

namespace tegu::board {

template <class T>
std::optional<double> number_of(const daemon::health::Value<T>& value) {
    if (!value.known()) return std::nullopt;
    return static_cast<double>(*value);
}
inline std::optional<double> megahertz(const daemon::health::Value<std::int64_t>& hertz) {
    return number_of(daemon::health::divided(hertz, 1e6));
}

// Null without a GPU and where there is no such library.
inline std::unique_ptr<Nvml> open_nvml(const BoardSource& source, const device::DeviceInfo* gpu) {
    if (gpu == nullptr || source.nvml.empty()) return nullptr;
    Result<std::unique_ptr<Nvml>> nvml = Nvml::open(source.nvml, source.gpu_address);
    return nvml ? std::move(*nvml) : nullptr;
}

// The first fan with a reading; else the card's.
inline std::optional<FanState> fan_of(const std::vector<daemon::health::Fan>& fans, const Nvml* nvml) {
    for (const daemon::health::Fan& fan : fans)
        if (fan.duty_ratio.known() || fan.revolutions_per_minute.known())
            return FanState{fan.name, number_of(fan.duty_ratio), number_of(fan.revolutions_per_minute)};
    if (nvml == nullptr || !nvml->fan_ratio()) return std::nullopt;
    return FanState{"gpu", nvml->fan_ratio(), std::nullopt};
}

}  // namespace tegu::board
