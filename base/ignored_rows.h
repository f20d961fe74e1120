// SPDX-License-Identifier: Apache-2.0
// How many ignored parts of one table are kept: a bad file must cost neither memory nor a long report.
#pragma once

#include <vector>

#include "base/tuning_row.h"

namespace tegu {

inline constexpr std::size_t kMostIgnoredKept = 100;  // of one table

// Adds `ignored` to the list, if it is one of the first of its table. `count`: parts of this table that are
// ignored, this one included.
void keep_ignored(IgnoredRow ignored, std::size_t count, std::vector<IgnoredRow>* list);
// Call once behind the last part of a table. The last entry then says how many more there are, if any.
void end_ignored(std::size_t count, std::vector<IgnoredRow>* list);

}  // namespace tegu
