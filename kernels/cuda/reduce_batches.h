// SPDX-License-Identifier: Apache-2.0
// How the launches of a job of reduce or dot follow one another: batches of sequences, and parts of one long sequence, so that no launch holds the
// device for long and the work space stays small.
#pragma once

#include <algorithm>

#include "base/result.h"
#include "kernels/cuda/reduce.h"

namespace tegu::cuda {

constexpr std::uint64_t kMostPlaces = 1 << 18;  // partial results, or totals, that are held at once

// Calls each(range, ends) for every launch; `ends`: the last launch of these sequences. Stops at the first error.
// `sequence_bytes`: that are read for one sequence.
template <class Each>
Result<void> for_ranges(std::uint64_t sequences, std::uint64_t sequence_bytes, std::uint64_t launch_bytes,
                        const ReduceShape& shape, Each each) {
    const std::uint64_t fit = std::max<std::uint64_t>(1, launch_bytes / std::max<std::uint64_t>(1, sequence_bytes));
    const std::uint64_t batch = std::max<std::uint64_t>(1, std::min(fit, kMostPlaces / shape.groups));
    const std::uint64_t group_bytes = std::max<std::uint64_t>(1, sequence_bytes / shape.groups);
    const std::uint64_t at_once =
        batch > 1 ? shape.groups : std::min(shape.groups, std::max<std::uint64_t>(1, launch_bytes / group_bytes));
    for (std::uint64_t first = 0; first < sequences; first += batch) {
        const std::uint64_t count = std::min(batch, sequences - first);
        for (std::uint64_t group = 0; group < shape.groups; group += at_once) {
            const std::uint64_t groups = std::min(at_once, shape.groups - group);
            Result<void> done = each(ReduceRange{first, count, group, groups}, group + groups == shape.groups);
            if (!done) return done;
        }
    }
    return {};
}

// The most sequences of a launch of for_ranges().
inline std::uint64_t most_sequences(std::uint64_t sequences, const ReduceShape& shape) {
    return std::min(sequences, std::max<std::uint64_t>(1, kMostPlaces / shape.groups));
}

}  // namespace tegu::cuda
