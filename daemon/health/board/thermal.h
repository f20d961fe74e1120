// SPDX-License-Identifier: Apache-2.0
// Temperatures and how far each is from the trip point at which the kernel slows something down, and from the
// one at which it shuts the board down; and the cooling devices that tell whether something is slowed down
// now.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/health/board/hwmon.h"
#include "daemon/health/board/reader.h"
#include "daemon/health/board/snapshot.h"

namespace tegu::daemon::health {

struct ZoneLayout {
    std::string name;
    Source temperature;
    Value<double> throttles_at_celsius, critical_at_celsius;
};
struct ThrottleLayout {
    std::string name;
    Source state;
};
struct ThermalLayout {
    std::vector<ZoneLayout> zones;
    std::vector<ThrottleLayout> throttles;
};

ThermalLayout find_thermal(Reader& reader, const std::vector<HwmonDevice>& hwmon);
Thermal sample_thermal(Reader& reader, const ThermalLayout& layout);

// Whether a cooling device of this type slows something down: fans and regulators of voltage do not.
bool slows_down(std::string_view type);

}  // namespace tegu::daemon::health
