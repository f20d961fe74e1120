// SPDX-License-Identifier: Apache-2.0
// Temperatures, and their margins to the trip points of throttling and of shutdown by the kernel. Also the
// cooling devices that show whether a part is slowed down now.
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

// Whether a cooling device of this type slows a part down: fans and voltage regulators do not.
bool slows_down(std::string_view type);

}  // namespace tegu::daemon::health
