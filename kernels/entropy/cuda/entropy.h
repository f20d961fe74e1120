// SPDX-License-Identifier: Apache-2.0
// launch_entropy_*: Shannon entropies from exact counts of levels (docs/numerics.md, "Entropy"). Counting is
// that of kernels/counting/cuda/count.h. The last step, with the logarithms of kernels/numerics/fixed_log2.h,
// also runs on the device, so many rows need no copy of their counts.
#pragma once

#include <cstdint>

#include "base/element_type.h"
#include "kernels/counting/cuda/count.h"
#include "kernels/counting/cuda/levels.h"

namespace tegu {
namespace cuda {

// The counts of the levels of some segments.
struct LevelCounts {
    ElementType type;
    std::uint32_t levels;
    std::uint64_t segments;
    std::uint64_t* counts;  // [segments, levels + 1]: the levels, then NaN
};

// Counts are 0 before the first launch where shape.adds(). One launch. REQUIRES: a type of 16 bits or more;
// rules for it.
LaunchStatus launch_count_levels(const LevelCounts& to, const CountLaunch& launch,
                                 const CountRules<LevelRule>& rules);

// The same for 8-bit elements, by their values: the totals are converted to levels. REQUIRES: totals where
// shape.adds().
LaunchStatus launch_count_byte_levels(const LevelCounts& to, const CountLaunch& launch,
                                      const LevelRule& rule);

// As launch_count_levels, from the counts of byte values, [segments, 256]. REQUIRES: counts are 0 before; an
// 8-bit type.
LaunchStatus launch_level_bytes(const LevelCounts& to, const std::uint64_t* value_counts,
                                const LevelRule& rule, Stream stream);

struct LevelRuleTarget {
    LevelRule* rules;       // [segments]
    std::uint64_t* failed;  // one word, ~0 before: gets the smallest index of a segment without a rule
};
// Makes rules from the bounds of the finite elements, [segments], as kernels::level_scale_of_data() does. A
// range may have no rule. Float types.
LaunchStatus launch_level_rules(const LevelCounts& of, const FiniteBounds* bounds,
                                const LevelRuleTarget& target, Stream stream);

struct EntropyTarget {
    double* entropy;  // [segments]
    bool base_e;      // else base 2
    bool skip_nans;   // else a NaN makes the result NaN
    // [kEntropyWorkWords], the first 0 before and after: spreads many levels of one segment; or null
    std::uint64_t* work = nullptr;
};
constexpr unsigned kMaxEntropyParts = 128;
constexpr std::uint64_t kEntropyWorkWords = 1 + 3 * kMaxEntropyParts;
constexpr std::uint32_t kFewLevels = 1024;  // maximum that need no such memory
// Converts counts to entropies. REQUIRES: fewer than 2^62 elements in a segment.
LaunchStatus launch_entropy(const LevelCounts& of, const EntropyTarget& target, Stream stream);

// Entropies of many short rows, a warp each: range, counts and result in one launch.
struct EntropyRows {
    Segments input;             // one line each
    std::uint64_t first;        // of the batch: rows [first, first + count)
    std::uint64_t count;        // of this launch
    bool finds_range;           // of floats; else rule.levels and its range hold for all rows
    LevelRule rule;             // `levels` alone, where the range is to be found
    const std::uint64_t* logs;  // [input.n + 1], by launch_fixed_logs()
    std::uint64_t* failed;      // one word, ~0 before: gets the smallest index of a row without a rule
    EntropyTarget target;
};
constexpr unsigned kEntropyRowThreads = 256;      // of a block
constexpr std::uint64_t kMaxRowElements = 16384;  // the table of logarithms stays in the cache
constexpr std::uint32_t kMaxRowLevels = 1024;     // the counters of several warps fit a block
// REQUIRES: a type of 16 bits or more; input.n and levels within these limits.
LaunchStatus launch_entropy_rows(ElementType type, const EntropyRows& rows, const DeviceLimits& limits,
                                 Stream stream);
// logs[i] = log2(i) 2^60, 0 for 0. REQUIRES: count <= 65536.
LaunchStatus launch_fixed_logs(std::uint64_t* logs, std::uint64_t count, Stream stream);

}  // namespace cuda
}  // namespace tegu
