// SPDX-License-Identifier: Apache-2.0
// A policy as text, for results and tables.
#pragma once

#include <string>
#include <vector>

#include "base/tuning_row.h"

namespace tegu::tune {

// "block_threads=512 sample=4096": the fields that differ from the default; "default" if none does.
std::string changes_text(const std::vector<TuningValue>& policy);

}  // namespace tegu::tune
