// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/families.h"

namespace tegu::tune {

std::vector<Family> rowscale_families(TuningBackend) {
    std::vector<Family> families = {plain_family<RowscaleParams>(ElementType::F32, Content::Uniform, 1),
                                    plain_family<RowscaleParams>(ElementType::F16, Content::Uniform, 2)};
    for (Family& family : families) family.sizes = {&row_sizes(), &coarse_sizes()};
    return families;
}

std::vector<CostFamily> rowscale_costs() {
    return {plain_costs<RowscaleParams>(ElementType::F32, 0, true),
            plain_costs<RowscaleParams>(ElementType::F16, 1, true)};
}

}  // namespace tegu::tune
