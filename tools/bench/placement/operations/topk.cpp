// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_topk_kinds(std::vector<PlacementKind>& kinds) {
    const auto topk = [](std::uint8_t type, std::uint64_t k, bool distinct = false) {
        PlacementKind made = kind("topk", type, "k=" + std::to_string(k) + (distinct ? "/distinct" : ""),
                                  [k, distinct] { return client::Request::topk(k, true, distinct); });
        made.sequence_bytes = static_cast<unsigned>(k) * 16 + 8;
        return at_least(std::move(made), 2 * k);
    };
    for (const std::uint8_t type : {TEGU_U8, TEGU_I32, TEGU_F32, TEGU_F64}) kinds.push_back(topk(type, 10));
    for (const std::uint8_t type : {TEGU_I32, TEGU_F32}) kinds.push_back(topk(type, 1000));
    for (const std::uint64_t k : {4000, 50000}) kinds.push_back(topk(TEGU_F32, k));
    kinds.push_back(topk(TEGU_I32, 10, true));
    kinds.push_back(rows_of(topk(TEGU_F32, 8), 1024));
}

}  // namespace tegu::bench
