// SPDX-License-Identifier: Apache-2.0
// The memory bandwidth in the data sheet of a known board or GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tegu::board {

// GB/s (1e9 B/s) of the memory. `model`: the board's, from its device tree; `gpu`: as the driver names it;
// either may be empty. `memory_bytes` distinguishes boards of one name. Empty: an unknown board.
std::optional<double> data_sheet_gb_per_s(std::string_view model, std::string_view gpu,
                                          std::uint64_t memory_bytes);

}  // namespace tegu::board
