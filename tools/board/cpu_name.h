// SPDX-License-Identifier: Apache-2.0
// The name and the clock of the CPU in /proc/cpuinfo. Arm kernels print numbers of designer and part there,
// which are looked up.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tegu::board {

// "Intel(R) Xeon(R) Platinum 8481C", "Cortex-A57", "Carmel + Cortex-A57" for cores of two kinds; empty: the
// text names none.
std::string cpu_name(std::string_view cpuinfo);
// The highest "cpu MHz" of the text; kernels for Arm print none.
std::optional<double> cpu_clock_mhz(std::string_view cpuinfo);

}  // namespace tegu::board
