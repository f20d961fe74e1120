// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_quantile_kinds(std::vector<PlacementKind>& kinds) {
    const auto quantile = [](std::uint8_t type, std::uint32_t count) {
        PlacementKind made = kind("quantile", type, "q=" + std::to_string(count), [count] {
            std::vector<double> q;
            for (std::uint32_t i = 1; i <= count; ++i) q.push_back(i / (count + 1.0));
            return client::Request(client::Part::quantile(q.data(), count));
        });
        made.sequence_bytes = 8 * count;
        return made;
    };
    for (const std::uint8_t type : {TEGU_U8, TEGU_I32, TEGU_F32, TEGU_F64})
        kinds.push_back(quantile(type, 1));
    for (const std::uint32_t count : {7, 32}) kinds.push_back(quantile(TEGU_F32, count));
    kinds.push_back(rows_of(quantile(TEGU_F32, 1), 1024));
}

}  // namespace tegu::bench
