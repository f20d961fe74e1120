// SPDX-License-Identifier: Apache-2.0
// Fans: drive level and speed of each fan that reports at least one of them.
#pragma once

#include <string>
#include <vector>

#include "daemon/health/board/hwmon.h"
#include "daemon/health/board/reader.h"
#include "daemon/health/board/snapshot.h"

namespace tegu::daemon::health {

struct FanLayout {
    std::string name;
    Source pwm, revolutions;
};

std::vector<FanLayout> find_fans(Reader& reader, const std::vector<HwmonDevice>& hwmon);
std::vector<Fan> sample_fans(Reader& reader, const std::vector<FanLayout>& layout);

}  // namespace tegu::daemon::health
