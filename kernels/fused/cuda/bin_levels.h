// SPDX-License-Identifier: Apache-2.0
// Counts of bins and of levels from one read. Both have the same edges, so a bin is nearly always the level;
// counters of their own take the elements near an edge that differ.
#pragma once

#include "kernels/counting/cuda/levels.h"
#include "kernels/histogram/cuda/histogram.h"
#include "kernels/statistics/cuda/reduce.h"

namespace tegu {
namespace cuda {

struct BinLevelRule {
    BinRule bins;
    LevelRule levels;  // none: no levels are counted
    std::uint32_t up;  // times a guess: its lower bits at the top of a word
};
inline BinLevelRule bin_level_rule(const BinRule& bins, const LevelRule& levels) {
    return BinLevelRule{bins, levels, bins.guess.shift == 0 ? 0 : 1u << (32 - bins.guess.shift)};
}

// Returns whether the rules give one number to every element that the estimate is sure of: the level is
// computed from the same f32 difference and factor. REQUIRES: both are of elements of the type.
inline bool agree(ElementType type, const BinRule& bins, const LevelRule& levels) {
    return bins.guess.shift != 0 && !bins.empty && levels.by_range && levels.levels == bins.bins &&
           levels.inv == bins.inv && levels.lo64 == bins.lo && (is_float(type) || bins.start == bins.lo);
}

// Counters of a rule: for each bin the elements whose level is one higher, then those whose level is one
// lower; below all bins, above them, NaN; then for each bin all others.
constexpr std::uint32_t kOutsideSlots = 3;
constexpr std::uint64_t bin_level_slots(std::uint32_t bins) {
    return kOutsideSlots + std::uint64_t{3} * bins;
}

// Null: not requested.
struct BinLevelTarget {
    std::uint64_t* counts;  // [bins]
    double* edges;          // [bins + 1]
    std::uint64_t* levels;  // [bins + 1]: the levels, then NaN
};

// The workload of launch_bin_levels(), for choose_count_shape().
CountWorkload bin_level_workload(ElementType type, const Segments& input, std::uint32_t bins);
// One launch, of one segment. REQUIRES: launch.shape.columns and launch.totals are not 0; a type of 16 bits
// or more; agree(), or no levels.
LaunchStatus launch_bin_levels(ElementType type, const CountLaunch& launch, const BinLevelRule& rule,
                               const BinLevelTarget& target);

// Columns of counters that fit beside the statistics of one segment; 0: none do, or no kernel has the type,
// the kind, or the alignment.
unsigned reduce_bins_columns(const ReduceLaunch& reduce, std::uint32_t bins, const DeviceLimits& limits);
// The workload of the statistics: the threads of a block are those of the kernel.
ReduceWorkload reduce_bins_workload(ElementType type, ReduceKind kind, std::uint64_t n,
                                    const DeviceLimits& limits);

// The counts of launch_reduce_bins(). Nothing is owned.
struct ReduceBins {
    BinLevelRule rule;  // as in launch_bin_levels()
    BinLevelTarget target;
    CountTotals totals;
    unsigned columns;  // of reduce_bins_columns(), not 0
};
// As launch_reduce(), with these counts from the same read. One launch; all is complete when every group was
// launched once.
LaunchStatus launch_reduce_bins(const ReduceLaunch& reduce, const ReduceBins& counts,
                                const ReduceRange& range, Stream stream);

}  // namespace cuda
}  // namespace tegu
