// SPDX-License-Identifier: Apache-2.0
// The families of the operations that select or count; families.cpp has the others and the list of all.
#pragma once

#include <vector>

#include "tools/tune/jobs/families.h"

namespace tegu::tune {

std::vector<Family> topk_families(TuningBackend backend);
std::vector<Family> quantile_families(TuningBackend backend);
std::vector<Family> histogram_families();
std::vector<Family> entropy_families();
std::vector<Family> entropy_map_families();

}  // namespace tegu::tune
