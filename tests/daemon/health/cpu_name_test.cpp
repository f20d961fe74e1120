// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/cpu_name.h"

#include <gtest/gtest.h>

namespace tegu::daemon::health {
namespace {

TEST(CpuName, IsTheModelOfAnX86Processor) {
    EXPECT_EQ(cpu_name("processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.00GHz\n"
                       "processor\t: 1\nmodel name\t: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.00GHz\n"),
              "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.00GHz");
}

TEST(CpuName, IsLookedUpForArm) {
    EXPECT_EQ(cpu_name("processor\t: 0\nmodel name\t: ARMv8 Processor rev 1 (v8l)\nCPU implementer\t: 0x41\n"
                       "CPU part\t: 0xd07\n"),
              "Cortex-A57");
    EXPECT_EQ(cpu_name("CPU implementer\t: 0x4e\nCPU part\t: 0x003\n"
                       "CPU implementer\t: 0x41\nCPU part\t: 0xd07\n"),
              "Denver 2 + Cortex-A57");
    const std::string unknown = cpu_name("CPU implementer\t: 0x99\nCPU part\t: 0x123\n");
    EXPECT_EQ(unknown, "Arm CPU of implementer 0x99, part 0x123");
}

TEST(CpuName, IsEmptyWhereTheTextNamesNone) {
    EXPECT_EQ(cpu_name(""), "");
    EXPECT_EQ(cpu_name("hardware: unknown\n:\n"), "");
}

}  // namespace
}  // namespace tegu::daemon::health
