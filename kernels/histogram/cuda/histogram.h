// SPDX-License-Identifier: Apache-2.0
// launch_histogram: counts of bins and their edges (docs/numerics.md, "Histogram"). The bin is estimated in
// f32, off by less than half a bin. One comparison then decides: with the smallest value, of the element's
// type (f32 for f16), at or above the nearest edge.
#pragma once

#include <cstdint>

#include "base/element_type.h"
#include "kernels/counting/cuda/count.h"

namespace tegu {
namespace cuda {

// (v - low) * inv + magic, truncated, lies in [2^i, 2^(i+1)) and has the bin in its upper bits.
// The lower bits show whether it is so near an edge that the other bin may be right.
struct BinGuess {
    float magic;
    std::uint32_t shift;  // 0: too few bits remain to be sure of most elements
    std::uint32_t base;   // the upper bits of bin 0
    std::uint32_t mask;   // of the lower bits
    std::uint32_t near;   // maximum error of the lower bits
    std::uint32_t limit;  // near an edge: ((bits + near) & mask) < limit; 0: every guess is exact
};

// f16 and f32, where f32 has too few bits for a BinGuess. The distance above the estimated edge is computed
// with the rounding errors of f32.
struct BinRefined {
    bool usable;
    float rest;  // low - lo
    float step_high, step_low;
    float middle;  // half a step
    float sure;    // the edge below is right where the distance is within this of the middle
};

// The rule that finds the bin of an element; made by bin_rule() of kernels/histogram/cuda/bin_rule.h.
struct BinRule {
    double lo;
    double hi;
    double step;   // width of a bin, as in the edges
    double inv64;  // bins per unit; for f64 elements
    double start;  // integers: the number with offset `first`
    float low;     // estimate for f16 and f32: (v - low) * inv + offset
    float inv;     // for integers: (v - first) * inv + offset
    float offset;
    float lower;  // the smallest f32 that is not below lo
    float upper;  // the largest f32 that is not above hi
    BinGuess guess;
    BinRefined refined;
    // integers, as offsets from the smallest value of the type: only elements in [first, first + span] may be
    // in a bin
    std::uint64_t first;
    std::uint64_t span;
    // added to signed integers to get offsets from their smallest value; 0 for unsigned ones
    std::uint64_t sign;
    std::uint32_t bins;
    std::uint32_t top;  // the last bin that can have an element
    bool search;        // the estimate is too coarse: binary search in the edges
    bool empty;         // integers: no element can be in a bin
};

// How most elements find their bins. Exact is a kind of Guessed.
enum class FastBins { None, Guessed, Exact, Refined };
inline FastBins fast_bins_of(const BinRule& rule) {
    if (rule.guess.shift != 0) return rule.guess.limit == 0 ? FastBins::Exact : FastBins::Guessed;
    return rule.refined.usable ? FastBins::Refined : FastBins::None;
}
// For two rules of one launch.
inline FastBins fast_bins_of(FastBins a, FastBins b) {
    const auto guessed = [](FastBins way) { return way == FastBins::Guessed || way == FastBins::Exact; };
    return a == b ? a : guessed(a) && guessed(b) ? FastBins::Guessed : FastBins::None;
}
constexpr std::uint64_t kExtraBins = 2;  // counters beyond the bins where they are fast

// One launch. If shared memory is large enough, each team keeps a table of the smallest value of every bin.
// f64 is used only to compute this table, and for f64 elements.
// A range with stretch 0 writes the edges.
// REQUIRES: `with` holds for all rules, where shape.columns is not 0.
LaunchStatus launch_histogram(ElementType type, const CountLaunch& launch, FastBins with,
                              const CountRules<BinRule>& rules, const CountTarget& target);

// The same for 8-bit elements, by their values: the totals are converted to bins. REQUIRES: totals where
// shape.adds().
LaunchStatus launch_histogram_bytes(const CountLaunch& launch, const CountRules<BinRule>& rules,
                                    const CountTarget& target);

// Bytes of the table of a rule.
std::uint64_t bin_table_bytes(ElementType type, std::uint32_t bins);

// The counts of the 8-bit values of some segments.
struct ValueCounts {
    const std::uint64_t* counts;  // [segments, 256]
    std::uint64_t segments;
};
// Converts them to bins and edges. REQUIRES: target.counts is 0 before.
LaunchStatus launch_bin_bytes(const ValueCounts& values, const CountRules<BinRule>& rules,
                              const CountTarget& target, Stream stream);

}  // namespace cuda
}  // namespace tegu
