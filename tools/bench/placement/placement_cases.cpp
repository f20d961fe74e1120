// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

#include <algorithm>
#include <cmath>

namespace tegu::bench {

PlacementKind kind(const std::string& operation, std::uint8_t type, const std::string& detail,
                   std::function<client::Request()> request) {
    PlacementKind made;
    made.operation = operation;
    made.type = type;
    made.name = operation + "/" + tegu_element_word(type) + (detail.empty() ? "" : "/" + detail);
    made.request = std::move(request);
    made.max = kMax;
    return made;
}

PlacementKind rows_of(PlacementKind made, std::uint64_t columns) {
    made.columns = columns;
    made.name += "/rows of " + std::to_string(columns);
    made.request = [request = made.request] { return request().by_rows(); };
    return made;
}

PlacementKind at_least(PlacementKind made, std::uint64_t elements) {
    made.min = elements;
    return made;
}

PlacementKind pair_kind(const char* operation, std::uint8_t type, std::uint16_t number,
                        unsigned output_bytes) {
    PlacementKind made = kind(operation, type, "", [number] { return client::Request(number); });
    made.inputs = 2;
    made.element_bytes = output_bytes;
    return made;
}

PlacementShape shape_of(const PlacementKind& kind, std::uint64_t elements) {
    if (kind.is_image) {
        const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(elements)));
        return {side, side};
    }
    if (kind.columns == 0) return {1, elements};
    return {std::max<std::uint64_t>(1, elements / kind.columns), kind.columns};
}

std::uint64_t output_bytes(const PlacementKind& kind, std::uint64_t elements) {
    constexpr std::uint64_t kReply = 60'000, kGaps = 4096;
    const PlacementShape shape = shape_of(kind, elements);
    const std::uint64_t sequences = kind.columns == 0 ? 1 : shape.rows;
    const std::uint64_t bytes = kind.element_bytes * shape.elements() + kind.sequence_bytes * sequences;
    return kind.element_bytes == 0 && bytes <= kReply ? 0 : bytes + kGaps;
}

std::vector<PlacementKind> placement_kinds() {
    std::vector<PlacementKind> kinds;
#define TEGU_X(number, Name, stem, inputs, sentence) add_##stem##_kinds(kinds);
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    return kinds;
}

std::vector<std::uint64_t> placement_sizes() {
    return {1'000, 10'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000, 30'000'000};
}

}  // namespace tegu::bench
