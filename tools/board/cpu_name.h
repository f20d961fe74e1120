// SPDX-License-Identifier: Apache-2.0
// The name and the clock of the CPU in /proc/cpuinfo.
#pragma once

#include <optional>
#include <string_view>

#include "daemon/health/board/cpu_name.h"

namespace tegu::board {

using daemon::health::cpu_name;
// The highest "cpu MHz" of the text; kernels for Arm print none.
std::optional<double> cpu_clock_mhz(std::string_view cpuinfo);

}  // namespace tegu::board
