// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram/cpu/bin_scale.h"

#include <cmath>

namespace tegu::kernels {
namespace {

// The first integers at or above each edge, as distances from the smallest value of the type.
struct Counted {
    double smallest;
    double limit;  // largest value + 1
    std::uint64_t of(double integer) const {
        if (smallest == 0) return static_cast<std::uint64_t>(integer);
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(integer)) ^ (std::uint64_t{1} << 63);
    }
};

void set_lower_edges(const Counted& counted, BinScale* scale, std::uint64_t* lower) {
    const double first = std::fmax(std::ceil(scale->lo), counted.smallest);
    const double last = std::floor(scale->hi);
    scale->empty = first >= counted.limit || last < first;
    if (scale->empty) return;
    scale->first = counted.of(first);
    scale->span = (last >= counted.limit ? ~std::uint64_t{0} : counted.of(last)) - scale->first;
    scale->offset = (first - scale->lo) * scale->inv;
    lower[0] = 0;
    for (std::uint32_t i = 1; i < scale->bins; ++i) {
        const double edge = std::ceil(scale->edges[i]);
        if (!(edge < counted.limit)) break;  // nor is it NaN: edges may lie in memory that a client writes to
        lower[i] = edge <= first ? 0 : counted.of(edge) - scale->first;
        if (lower[i] > scale->span) break;
        scale->top = i;
    }
    scale->lower = lower;
}

bool is_wide_integer(ElementType type) {
    return type == ElementType::U64 || type == ElementType::I64;
}

}  // namespace

std::uint64_t lower_edge_bytes(ElementType type, std::uint32_t bins) {
    return is_wide_integer(type) ? std::uint64_t{bins} * sizeof(std::uint64_t) : 0;
}

BinScale make_bin_scale(ElementType type, const BinRange& range, std::uint32_t bins, double* edges,
                        std::uint64_t* lower) {
    BinScale scale;
    scale.bins = bins;
    scale.lo = range.lo;
    scale.hi = range.hi;
    scale.step = range.step(bins);
    scale.inv = static_cast<double>(bins) / (range.hi - range.lo);
    scale.search = !range.is_wide(bins);
    for (std::uint32_t i = 0; i < bins; ++i) edges[i] = range.lo + static_cast<double>(i) * scale.step;
    edges[bins] = range.hi;
    scale.edges = edges;
    if (type == ElementType::U64) set_lower_edges(Counted{0, 0x1p64}, &scale, lower);
    if (type == ElementType::I64) set_lower_edges(Counted{-0x1p63, 0x1p63}, &scale, lower);
    return scale;
}

BinKeys bin_keys(ElementType type) {
    switch (type) {
#define TEGU_X(number, Name, word, ctype) \
    case ElementType::Name: return TEGU_ISA_SELECT(bin_keys_##word);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    __builtin_unreachable();
}

}  // namespace tegu::kernels
