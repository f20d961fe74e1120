// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_beside.h"
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_entropy_map_kinds(std::vector<PlacementKind>& kinds) {
    const auto map = [](std::uint8_t type, std::uint32_t window, std::uint32_t levels, std::uint64_t max) {
        PlacementKind made =
            kind("entropy_map", type,
                 std::to_string(window) + "x" + std::to_string(window) + "/levels=" + std::to_string(levels),
                 [type, window, levels] {
                     client::Request request = client::Request::entropy_map(window, window, levels);
                     request.params.entropy_map.has_range = type == TEGU_F32 ? 1 : 0;
                     request.params.entropy_map.hi = type == TEGU_F32 ? 1 : 0;
                     return request;
                 });
        made.is_image = true;
        made.element_bytes = sizeof(float);
        made.max = max;
        return made;
    };
    kinds.push_back(map(TEGU_F32, 5, 16, kMax));
    kinds.push_back(map(TEGU_U8, 3, 16, kMax));
    kinds.push_back(map(TEGU_U8, 9, 256, kMax / 3));
    kinds.push_back(map(TEGU_U8, 15, 64, kMax / 3));
    kinds.push_back(map(TEGU_U8, 31, 16, kMax / 3));
    kinds.push_back(map(TEGU_U8, 63, 256, kMax / 10));
}

LongJob long_job() {
    return {"entropy maps", "63x63", client::Request::entropy_map(63, 63, 16)};
}

}  // namespace tegu::bench
