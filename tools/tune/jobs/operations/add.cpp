// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/families.h"

namespace tegu::tune {

std::vector<Family> add_families(TuningBackend) {
    return {plain_family<AddParams>(ElementType::F32, Content::Small, 1),
            plain_family<AddParams>(ElementType::U8, Content::Small, 2)};
}

std::vector<CostFamily> add_costs() {
    return {plain_costs<AddParams>(ElementType::F32, 0, false),
            plain_costs<AddParams>(ElementType::U8, 1, false),
            plain_costs<AddParams>(ElementType::F64, 1, false)};
}

}  // namespace tegu::tune
