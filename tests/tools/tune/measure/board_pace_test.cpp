// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/board_pace.h"

#include <gtest/gtest.h>

namespace tegu::tune {
namespace {

TEST(BoardPace, WaitsForWhatPassesNotForALimitOfPower) {
    EXPECT_TRUE(passing_reasons({"sw_power_cap"}).empty());
    EXPECT_EQ(passing_reasons({"sw_power_cap", "hw_thermal_slowdown", "hw_thermal_slowdown"}),
              (std::vector<std::string>{"hw_thermal_slowdown"}));
    EXPECT_EQ(passing_reasons({"gpu-throttle-alert"}), (std::vector<std::string>{"gpu-throttle-alert"}));
}

}  // namespace
}  // namespace tegu::tune
