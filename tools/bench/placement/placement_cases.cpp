// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_cases.h"

#include <algorithm>
#include <cmath>

namespace tegu::bench {
namespace {

using client::Part;
using client::Request;

constexpr std::uint64_t kMost = 30'000'000;
constexpr std::uint32_t kAll = (1u << 15) - 1;

PlacementKind kind(const std::string& operation, std::uint8_t type, const std::string& detail,
                   std::function<Request()> request) {
    PlacementKind made;
    made.operation = operation;
    made.type = type;
    made.name = operation + "/" + tegu_element_word(type) + (detail.empty() ? "" : "/" + detail);
    made.request = std::move(request);
    made.most = kMost;
    return made;
}

PlacementKind rows_of(PlacementKind made, std::uint64_t columns) {
    made.columns = columns;
    made.name += "/rows of " + std::to_string(columns);
    made.request = [request = made.request] { return request().by_rows(); };
    return made;
}

PlacementKind at_least(PlacementKind made, std::uint64_t elements) {
    made.least = elements;
    return made;
}

void add_reductions(std::vector<PlacementKind>& kinds) {
    const auto reduce = [](std::uint8_t type, const char* detail, std::uint32_t statistics) {
        return kind("reduce", type, detail, [statistics] { return Request::reduce(statistics); });
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

void add_selections(std::vector<PlacementKind>& kinds) {
    const auto topk = [](std::uint8_t type, std::uint64_t k, bool distinct = false) {
        PlacementKind made = kind("topk", type, "k=" + std::to_string(k) + (distinct ? "/distinct" : ""),
                                  [k, distinct] { return Request::topk(k, true, distinct); });
        made.sequence_bytes = static_cast<unsigned>(k) * 16 + 8;
        return at_least(std::move(made), 2 * k);
    };
    const auto quantile = [](std::uint8_t type, std::uint32_t count) {
        PlacementKind made = kind("quantile", type, "q=" + std::to_string(count), [count] {
            std::vector<double> q;
            for (std::uint32_t i = 1; i <= count; ++i) q.push_back(i / (count + 1.0));
            return Request(Part::quantile(q.data(), count));
        });
        made.sequence_bytes = 8 * count;
        return made;
    };
    for (const std::uint8_t type : {TEGU_U8, TEGU_I32, TEGU_F32, TEGU_F64}) kinds.push_back(topk(type, 10));
    for (const std::uint8_t type : {TEGU_I32, TEGU_F32}) kinds.push_back(topk(type, 1000));
    for (const std::uint64_t k : {4000, 50000}) kinds.push_back(topk(TEGU_F32, k));
    kinds.push_back(topk(TEGU_I32, 10, true));
    kinds.push_back(rows_of(topk(TEGU_F32, 8), 1024));
    for (const std::uint8_t type : {TEGU_U8, TEGU_I32, TEGU_F32, TEGU_F64})
        kinds.push_back(quantile(type, 1));
    for (const std::uint32_t count : {7, 32}) kinds.push_back(quantile(TEGU_F32, count));
    kinds.push_back(rows_of(quantile(TEGU_F32, 1), 1024));
}

void add_counts(std::vector<PlacementKind>& kinds) {
    const auto histogram = [](std::uint8_t type, std::uint32_t bins, double hi) {
        PlacementKind made = kind(
            "histogram", type, "bins=" + std::to_string(bins) + (hi > 0 ? "" : "/no range"),
            [bins, hi] { return Request(hi > 0 ? Part::histogram(bins, 0, hi) : Part::histogram(bins)); });
        made.sequence_bytes = 16 * bins + 8;
        return made;
    };
    const auto entropy = [](std::uint8_t type, std::uint32_t levels, double hi) {
        return kind("entropy", type, "levels=" + std::to_string(levels), [levels, hi] {
            return Request(hi > 0 ? Part::entropy(levels, 0, hi) : Part::entropy(levels));
        });
    };
    kinds.push_back(histogram(TEGU_F32, 64, 1));
    kinds.push_back(histogram(TEGU_F32, 64, 0));
    kinds.push_back(histogram(TEGU_F32, 4096, 1));
    kinds.push_back(histogram(TEGU_U8, 100, 100));
    kinds.push_back(histogram(TEGU_I32, 1000, 1e6));
    kinds.push_back(histogram(TEGU_F64, 256, 1));
    kinds.push_back(entropy(TEGU_U8, 256, 0));
    kinds.push_back(entropy(TEGU_F32, 256, 1));
    kinds.push_back(entropy(TEGU_F32, 65536, 1));
    kinds.push_back(entropy(TEGU_F64, 64, 1));
}

void add_maps(std::vector<PlacementKind>& kinds) {
    const auto map = [](std::uint8_t type, std::uint32_t window, std::uint32_t levels, std::uint64_t most) {
        PlacementKind made =
            kind("entropy_map", type,
                 std::to_string(window) + "x" + std::to_string(window) + "/levels=" + std::to_string(levels),
                 [type, window, levels] {
                     Request request = Request::entropy_map(window, window, levels);
                     request.params.entropy_map.has_range = type == TEGU_F32 ? 1 : 0;
                     request.params.entropy_map.hi = type == TEGU_F32 ? 1 : 0;
                     return request;
                 });
        made.is_image = true;
        made.element_bytes = sizeof(float);
        made.most = most;
        return made;
    };
    kinds.push_back(map(TEGU_F32, 5, 16, kMost));
    kinds.push_back(map(TEGU_U8, 3, 16, kMost));
    kinds.push_back(map(TEGU_U8, 9, 256, kMost / 3));
    kinds.push_back(map(TEGU_U8, 15, 64, kMost / 3));
    kinds.push_back(map(TEGU_U8, 31, 16, kMost / 3));
    kinds.push_back(map(TEGU_U8, 63, 256, kMost / 10));
}

void add_others(std::vector<PlacementKind>& kinds) {
    const auto pair = [](const char* operation, std::uint8_t type, std::uint16_t number,
                         unsigned output_bytes) {
        PlacementKind made = kind(operation, type, "", [number] { return Request(number); });
        made.inputs = 2;
        made.element_bytes = output_bytes;
        return made;
    };
    const auto rowscale = [](std::uint8_t type, std::uint64_t columns, unsigned bytes) {
        PlacementKind made =
            rows_of(kind("rowscale", type, "", [] { return Request(TEGU_ROWSCALE); }), columns);
        made.element_bytes = bytes;
        return made;
    };
    for (const std::uint8_t type : {TEGU_U8, TEGU_I32, TEGU_F32, TEGU_F64})
        kinds.push_back(pair("dot", type, TEGU_DOT, 0));
    kinds.push_back(pair("add", TEGU_U8, TEGU_ADD, 1));
    kinds.push_back(pair("add", TEGU_F32, TEGU_ADD, 4));
    kinds.push_back(pair("add", TEGU_F64, TEGU_ADD, 8));
    kinds.push_back(rowscale(TEGU_F32, 128, 4));
    kinds.push_back(rowscale(TEGU_F64, 4096, 8));
    kinds.push_back(kind("fused", TEGU_F32, "sum+topk", [] {
        return Request::fused({Part::reduce(TEGU_STAT_SUM), Part::topk(16)});
    }));
    kinds.push_back(kind("fused", TEGU_F32, "all+histogram+entropy", [] {
        return Request::fused({Part::reduce(kAll), Part::histogram(64, 0, 1), Part::entropy(256, 0, 1)});
    }));
}

}  // namespace

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
    add_reductions(kinds);
    add_selections(kinds);
    add_counts(kinds);
    add_maps(kinds);
    add_others(kinds);
    return kinds;
}

std::vector<std::uint64_t> placement_sizes() {
    return {1'000, 10'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000, 30'000'000};
}

}  // namespace tegu::bench
