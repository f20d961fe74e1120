// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_fused_kinds(std::vector<PlacementKind>& kinds) {
    kinds.push_back(kind("fused", TEGU_F32, "sum+topk", [] {
        return client::Request::fused({client::Part::reduce(TEGU_STAT_SUM), client::Part::topk(16)});
    }));
    kinds.push_back(kind("fused", TEGU_F32, "all+histogram+entropy", [] {
        return client::Request::fused({client::Part::reduce(kAll), client::Part::histogram(64, 0, 1),
                                       client::Part::entropy(256, 0, 1)});
    }));
}

}  // namespace tegu::bench
