// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/families.h"

namespace tegu::tune {

std::vector<Family> dot_families(TuningBackend) {
    std::vector<Family> families = {plain_family<DotParams>(ElementType::F32, Content::Uniform, 1),
                                    plain_family<DotParams>(ElementType::I16, Content::Uniform, 2)};
    families[0].sizes.push_back(&row_sizes());
    return families;
}

std::vector<CostFamily> dot_costs() {
    return {plain_costs<DotParams>(ElementType::F32, 0, true),
            plain_costs<DotParams>(ElementType::I16, 1, false),
            plain_costs<DotParams>(ElementType::F64, 1, false)};
}

}  // namespace tegu::tune
