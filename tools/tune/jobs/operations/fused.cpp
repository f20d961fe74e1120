// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/families.h"

namespace tegu::tune {

// Not tuned itself: its parts are tuned and measured.
std::vector<Family> fused_families(TuningBackend) {
    return {};
}

std::vector<CostFamily> fused_costs() {
    return {};
}

}  // namespace tegu::tune
