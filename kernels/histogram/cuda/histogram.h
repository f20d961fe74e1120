// SPDX-License-Identifier: Apache-2.0
// launch_histogram: counts of bins and their edges (docs/numerics.md, "Histogram"). The bin of an element is
// estimated in f32, to less than half a bin, and one comparison decides: with the smallest value of the
// element's own type (f32 for f16) at or above the nearest edge. These values are the table of a team where
// shared memory has room for it; f64 is at work only where they are computed, and on f64 elements.
#pragma once

#include <cstdint>

#include "base/element_type.h"
#include "kernels/counting/cuda/count.h"

namespace tegu {
namespace cuda {

// f16 and f32: (v - low) * inv + magic, truncated, lies between a power of two and its double, and has the
// bin in its upper bits; the lower ones say whether it is so near an edge that the other bin may be right.
struct BinGuess {
    float magic;
    std::uint32_t shift;  // 0: too few bits are left to be sure of most elements
    std::uint32_t base;   // the upper bits of bin 0
    std::uint32_t mask;   // of the lower bits
    std::uint32_t near;   // what they may be off
    std::uint32_t limit;  // near an edge: ((bits + near) & mask) < limit; 0: every guess is exact
};

// What finds the bin of an element; made by bin_rule() of kernels/histogram/cuda/bin_rule.h.
struct BinRule {
    double lo;
    double hi;
    double step;   // width of a bin as the edges have it
    double inv64;  // bins in a unit; for f64 elements
    double start;  // integers: the number that is counted as `first`
    float low;     // estimate for f16 and f32: (v - low) * inv + offset
    float inv;     // for integers: (v - first) * inv + offset
    float offset;
    float lower;  // the smallest f32 that is not below lo
    float upper;  // the largest f32 that is not above hi
    BinGuess guess;
    // integers, counted from the smallest value of the type: elements in [first, first + span] may be in a
    // bin
    std::uint64_t first;
    std::uint64_t span;
    // what counts signed integers from their smallest value: added to them; 0 for unsigned ones
    std::uint64_t sign;
    std::uint32_t bins;
    std::uint32_t top;  // the last bin that an element can be in
    bool search;        // the estimate is too coarse: a binary search among the edges
    bool empty;         // integers: no element can be in a bin
};

struct HistogramTarget {
    std::uint64_t* counts;  // [segments, bins]; 0 before the first launch where shape.adds()
    double* edges;          // [segments, bins + 1]
};

// One launch. A range whose stretch is 0 writes the edges. `rules`: [segments] on the device, or null:
// `rule` holds for all.
LaunchStatus launch_histogram(ElementType type, const Segments& input, const BinRule& rule,
                              const BinRule* rules, const HistogramTarget& target, const CountShape& shape,
                              const CountRange& range, Stream stream);

// Of the table of a rule.
std::uint64_t bin_table_bytes(ElementType type, std::uint32_t bins);

// From the counts of the values of 8-bit elements to bins and edges. target.counts is 0 before.
LaunchStatus launch_bin_bytes(const std::uint64_t* value_counts, std::uint64_t segments, const BinRule& rule,
                              const BinRule* rules, const HistogramTarget& target, Stream stream);

}  // namespace cuda
}  // namespace tegu
