// SPDX-License-Identifier: Apache-2.0
#include "tools/board/throttle_reasons.h"

#include <gtest/gtest.h>

namespace tegu::board {
namespace {

TEST(ThrottleReasons, HeatPassesAndALimitOfPowerStands) {
    EXPECT_TRUE(is_standing("sw_power_cap") && is_standing("sync_boost"));
    EXPECT_FALSE(is_standing("sw_thermal_slowdown") || is_standing("hw_power_brake_slowdown"));
    EXPECT_TRUE(passing_reasons({"sw_power_cap"}).empty());
    EXPECT_EQ(passing_reasons({"sw_power_cap", "hw_thermal_slowdown", "hw_thermal_slowdown"}),
              (std::vector<std::string>{"hw_thermal_slowdown"}));
    EXPECT_EQ(passing_reasons({"gpu-throttle-alert"}), (std::vector<std::string>{"gpu-throttle-alert"}));
}

}  // namespace
}  // namespace tegu::board
