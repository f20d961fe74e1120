// SPDX-License-Identifier: Apache-2.0
// Fans: how hard each is driven and how fast it turns, where one of the two is measured at all.
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
