// SPDX-License-Identifier: Apache-2.0
// The devices of sys/class/hwmon. Their numbers change between boots, so they are found by name.
#pragma once

#include <string>
#include <vector>

#include "daemon/health/board/reader.h"

namespace tegu::daemon::health {

struct HwmonDevice {
    std::string folder;  // "sys/class/hwmon/hwmon3"
    std::string name;    // "ina3221"
};

std::vector<HwmonDevice> find_hwmon(Reader& reader);

}  // namespace tegu::daemon::health
