// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/hwmon.h"

namespace tegu::daemon::health {

std::vector<HwmonDevice> find_hwmon(Reader& reader) {
    constexpr std::size_t kMax = 128;
    std::vector<HwmonDevice> devices;
    for (const std::string& entry : reader.list("sys/class/hwmon")) {
        const std::string folder = "sys/class/hwmon/" + entry;
        const Value<std::string> name = reader.word(reader.find(folder + "/name"));
        if (name.known() && devices.size() < kMax) devices.push_back({folder, *name});
    }
    return devices;
}

}  // namespace tegu::daemon::health
