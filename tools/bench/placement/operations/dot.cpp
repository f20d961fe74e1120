// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_dot_kinds(std::vector<PlacementKind>& kinds) {
    for (const std::uint8_t type : {TEGU_U8, TEGU_I32, TEGU_F32, TEGU_F64})
        kinds.push_back(pair_kind("dot", type, TEGU_DOT, 0));
}

}  // namespace tegu::bench
