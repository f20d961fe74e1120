// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_add_kinds(std::vector<PlacementKind>& kinds) {
    kinds.push_back(pair_kind("add", TEGU_U8, TEGU_ADD, 1));
    kinds.push_back(pair_kind("add", TEGU_F32, TEGU_ADD, 4));
    kinds.push_back(pair_kind("add", TEGU_F64, TEGU_ADD, 8));
}

}  // namespace tegu::bench
