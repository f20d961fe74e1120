// SPDX-License-Identifier: Apache-2.0
// The name of the CPU from /proc/cpuinfo. Arm kernels print numbers of implementer and part, which a table
// maps to names.
#pragma once

#include <string>
#include <string_view>

namespace tegu::daemon::health {

// "Intel(R) Xeon(R) Platinum 8481C", "Cortex-A57", "Denver 2 + Cortex-A57" for cores of two kinds; empty if
// unknown.
std::string cpu_name(std::string_view cpuinfo);

}  // namespace tegu::daemon::health
