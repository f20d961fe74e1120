// SPDX-License-Identifier: Apache-2.0
// Limits how many ignored parts of one table are kept: a bad file must cost neither memory nor a long report.
#pragma once

#include <vector>

#include "base/tuning_row.h"

namespace tegu {

inline constexpr std::size_t kMaxIgnoredKept = 100;  // of one table

// Adds `ignored` to the list if it is among the first of its table. `count`: ignored parts of this table so
// far, including this one.
void keep_ignored(IgnoredRow ignored, std::size_t count, std::vector<IgnoredRow>* list);
// Call once after the last part of a table. The last entry then gives the number of the others, if any.
void end_ignored(std::size_t count, std::vector<IgnoredRow>* list);

}  // namespace tegu
