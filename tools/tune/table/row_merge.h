// SPDX-License-Identifier: Apache-2.0
// Merges equal rows of neighbouring classes, so that tables are short.
#pragma once

#include <vector>

#include "base/tuning_row.h"

namespace tegu::tune {

// Two rows with the same policy become one if their classes differ in one range alone, and touch there. It
// has the id of the first. Its evidence is that of the smaller gain. The order is kept. REQUIRES: classes of
// rows do not overlap.
std::vector<TuningRow> merge_rows(std::vector<TuningRow> rows);

}  // namespace tegu::tune
