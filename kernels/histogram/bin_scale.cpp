// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram/bin_scale.h"

#include <cmath>
#include <string>

#include "base/number_text.h"

namespace tegu::kernels {
namespace {

constexpr std::uint32_t kFewBins = 4096;  // whose edges are compared one by one

// The distance of two neighbouring f64 numbers at the larger end of a range; it is nowhere larger within the
// range.
double spacing_of(const BinRange& range) {
    const double largest = std::fmax(std::fabs(range.lo), std::fabs(range.hi));
    return largest - std::nextafter(largest, 0.0);
}

double step_of(const BinRange& range, std::uint32_t bins) {
    return (range.hi - range.lo) / static_cast<double>(bins);
}

// Far from the spacing of f64, edges are strictly increasing and the estimate of a bin is off by less than
// 1/8.
bool is_wide(const BinRange& range, std::uint32_t bins) {
    const double step = step_of(range, bins);
    return step >= 32 * spacing_of(range) && step > 1e-290;
}

// Whether each edge is above the one before it. Where a step is two spacings or more, exact edges differ by
// more than one spacing and round to different numbers: only the last step is left to check, as a rounded
// step can pass hi (a subnormal one does). Smaller steps are checked one by one, if they are few: the check
// runs before a job is admitted and must be short.
bool edges_increase(const BinRange& range, std::uint32_t bins) {
    const double step = step_of(range, bins);
    const auto edge = [&](std::uint32_t i) { return range.lo + static_cast<double>(i) * step; };
    if (!(edge(bins - 1) < range.hi)) return false;
    if (step >= 2 * spacing_of(range)) return true;
    if (bins > kFewBins) return false;
    for (std::uint32_t i = 1; i < bins; ++i)
        if (!(edge(i - 1) < edge(i))) return false;
    return true;
}

// The first integers at or above each edge, counted from the smallest value of the type.
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

Result<BinRange> usable_bin_range(double lo, double hi, std::uint32_t bins, const char* from) {
    const auto refuse = [&](const char* allowed, const std::string& what) {
        return bad_range("range", allowed,
                         std::string(from) + ", " + number_text(lo) + " to " + number_text(hi) + ", " + what);
    };
    const char* const allowed = "two finite numbers lo <= hi whose difference is finite";
    if (!std::isfinite(lo) || !std::isfinite(hi)) return refuse(allowed, "is not finite");
    if (lo > hi) return refuse(allowed, "is reversed");
    BinRange range{lo + 0.0, hi + 0.0};
    if (lo == hi) range = BinRange{lo - 0.5, hi + 0.5};
    if (!std::isfinite(range.hi - range.lo)) return refuse(allowed, "is too wide for f64");
    if (!edges_increase(range, bins))
        return refuse(bins <= kFewBins ? "wide enough for strictly increasing edges in f64"
                                       : "wide enough for bins of two f64 numbers each at its larger end",
                      "is too narrow for " + std::to_string(bins) + " bins");
    return range;
}

std::uint64_t lower_edge_bytes(ElementType type, std::uint32_t bins) {
    return is_wide_integer(type) ? std::uint64_t{bins} * sizeof(std::uint64_t) : 0;
}

BinScale make_bin_scale(ElementType type, const BinRange& range, std::uint32_t bins, double* edges,
                        std::uint64_t* lower) {
    BinScale scale;
    scale.bins = bins;
    scale.lo = range.lo;
    scale.hi = range.hi;
    scale.step = step_of(range, bins);
    scale.inv = static_cast<double>(bins) / (range.hi - range.lo);
    scale.search = !is_wide(range, bins);
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
