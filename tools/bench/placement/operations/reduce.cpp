// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_reduce_kinds(std::vector<PlacementKind>& kinds) {
    const auto reduce = [](std::uint8_t type, const char* detail, std::uint32_t statistics) {
        return kind("reduce", type, detail, [statistics] { return client::Request::reduce(statistics); });
    };
    for (const std::uint8_t type : {TEGU_U8, TEGU_I32, TEGU_F32, TEGU_F64})
        kinds.push_back(reduce(type, "sum", TEGU_STAT_SUM));
    kinds.push_back(reduce(TEGU_F32, "minmax", TEGU_STAT_MINMAX));
    kinds.push_back(reduce(TEGU_F32, "all", kAll));
    kinds.push_back(reduce(TEGU_U8, "all", kAll));
    kinds.push_back(reduce(TEGU_F64, "var", TEGU_STAT_VAR));
    kinds.push_back(rows_of(reduce(TEGU_F32, "sum", TEGU_STAT_SUM), 128));
    kinds.push_back(rows_of(reduce(TEGU_F32, "sum", TEGU_STAT_SUM), 4096));
}

}  // namespace tegu::bench
