// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_entropy_kinds(std::vector<PlacementKind>& kinds) {
    const auto entropy = [](std::uint8_t type, std::uint32_t levels, double hi) {
        return kind("entropy", type, "levels=" + std::to_string(levels), [levels, hi] {
            return client::Request(hi > 0 ? client::Part::entropy(levels, 0, hi)
                                          : client::Part::entropy(levels));
        });
    };
    kinds.push_back(entropy(TEGU_U8, 256, 0));
    kinds.push_back(entropy(TEGU_F32, 256, 1));
    kinds.push_back(entropy(TEGU_F32, 65536, 1));
    kinds.push_back(entropy(TEGU_F64, 64, 1));
}

}  // namespace tegu::bench
