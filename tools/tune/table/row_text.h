// SPDX-License-Identifier: Apache-2.0
// Rows and devices of tables as text.
#pragma once

#include <string>

#include "base/tuning_row.h"

namespace tegu::tune {

std::string device_text(const TuningDevice& device);
// "reduce f32, 1048576..8388608 elements, detail 1..2: waves=4 (-12.3 %, 34.2 us)".
std::string class_text(const TuningClass& jobs);
std::string row_line(const TuningRow& row);

}  // namespace tegu::tune
