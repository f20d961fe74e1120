// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

void add_histogram_kinds(std::vector<PlacementKind>& kinds) {
    const auto histogram = [](std::uint8_t type, std::uint32_t bins, double hi) {
        PlacementKind made =
            kind("histogram", type, "bins=" + std::to_string(bins) + (hi > 0 ? "" : "/no range"), [bins, hi] {
                return client::Request(hi > 0 ? client::Part::histogram(bins, 0, hi)
                                              : client::Part::histogram(bins));
            });
        made.sequence_bytes = 16 * bins + 8;
        return made;
    };
    kinds.push_back(histogram(TEGU_F32, 64, 1));
    kinds.push_back(histogram(TEGU_F32, 64, 0));
    kinds.push_back(histogram(TEGU_F32, 4096, 1));
    kinds.push_back(histogram(TEGU_U8, 100, 100));
    kinds.push_back(histogram(TEGU_I32, 1000, 1e6));
    kinds.push_back(histogram(TEGU_F64, 256, 1));
}

}  // namespace tegu::bench
