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

// counts [segments, levels + 1] u64: the levels, then NaN; 0 before the first launch where shape.adds(). One
// launch. `rules`: [segments] on the device, or null: `rule` is used for all. REQUIRES: a type of 16 bits or
// more; a rule for it.
LaunchStatus launch_count_levels(ElementType type, const Segments& input, const LevelRule& rule,
                                 const LevelRule* rules, std::uint64_t* counts, const CountShape& shape,
                                 const CountRange& range, Stream stream);

// As launch_count_levels, from the counts of byte values, [segments, 256]. REQUIRES: counts are 0 before; an
// 8-bit type.
LaunchStatus launch_level_bytes(ElementType type, const std::uint64_t* value_counts, std::uint64_t segments,
                                const LevelRule& rule, std::uint64_t* counts, Stream stream);

// Makes rules [segments] from the bounds of the finite elements, as kernels::level_scale_of_data() does.
// failed: one word, ~0 before: gets the smallest index of a segment whose range has no rule. Float types.
LaunchStatus launch_level_rules(ElementType type, const FiniteBounds* bounds, std::uint64_t segments,
                                std::uint32_t levels, LevelRule* rules, std::uint64_t* failed, Stream stream);

struct EntropyTarget {
    double* entropy;  // [segments]
    bool base_e;      // else base 2
    bool skip_nans;   // else a NaN makes the result NaN
};
// Converts counts to entropies. REQUIRES: fewer than 2^62 elements in a segment.
LaunchStatus launch_entropy(const std::uint64_t* counts, std::uint64_t segments, std::uint32_t levels,
                            const EntropyTarget& target, Stream stream);

}  // namespace cuda
}  // namespace tegu
