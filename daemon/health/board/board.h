// SPDX-License-Identifier: Apache-2.0
// Identifies the board: model and SoC from the device tree (from DMI on a PC), the release of L4T, the
// kernel, the power mode.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "daemon/health/board/reader.h"
#include "daemon/health/board/snapshot.h"

namespace tegu::daemon::health {

struct BoardLayout {
    Board fixed;  // all but the mode
    Source mode;
    std::map<std::int64_t, std::string> mode_names;
};

BoardLayout find_board(Reader& reader);
Board sample_board(Reader& reader, const BoardLayout& layout);

// "# R36 (release), REVISION: 4.4, GCID: ..." is "36.4.4".
Value<std::string> parse_l4t_release(std::string_view text);
// The id in /var/lib/nvpmodel/status: "pmode:0002 fmode:fan_mode_quiet" is 2.
Value<std::int64_t> parse_power_mode(std::string_view text);
// The lines "< POWER_MODEL ID=2 NAME=MAXN_SUPER >" of /etc/nvpmodel.conf; others are skipped.
std::map<std::int64_t, std::string> parse_mode_names(std::string_view text);
// The SoC in the list of a device tree's "compatible", whose parts end with NUL: "tegra234".
Value<std::string> parse_soc(std::string_view text);

}  // namespace tegu::daemon::health
