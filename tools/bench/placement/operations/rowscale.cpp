// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_rowscale_kinds(std::vector<PlacementKind>& kinds) {
    const auto rowscale = [](std::uint8_t type, std::uint64_t columns, unsigned bytes) {
        PlacementKind made =
            rows_of(kind("rowscale", type, "", [] { return client::Request(TEGU_ROWSCALE); }), columns);
        made.element_bytes = bytes;
        return made;
    };
    kinds.push_back(rowscale(TEGU_F32, 128, 4));
    kinds.push_back(rowscale(TEGU_F64, 4096, 8));
}

}  // namespace tegu::bench
