// SPDX-License-Identifier: Apache-2.0
#include "tools/board/cpu_name.h"

#include <cstdlib>
#include <string>

#include "daemon/health/board/reader.h"

namespace tegu::board {

using daemon::health::split;
using daemon::health::trimmed;

std::optional<double> cpu_clock_mhz(std::string_view cpuinfo) {
    std::optional<double> highest;
    for (const std::string_view line : split(cpuinfo, '\n')) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != "cpu MHz") continue;
        const double mhz = std::strtod(std::string(trimmed(line.substr(colon + 1))).c_str(), nullptr);
        if (mhz > 0 && mhz < 1e5 && (!highest || mhz > *highest)) highest = mhz;
    }
    return highest;
}

}  // namespace tegu::board
