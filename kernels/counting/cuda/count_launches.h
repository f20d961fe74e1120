// SPDX-License-Identifier: Apache-2.0
// Orders the launches of one counting job: batches of segments bound the workspace. Each launch in a batch
// counts some segments, or a part of a long one, so that no launch holds the device for long.
#pragma once

#include <algorithm>

#include "kernels/counting/cuda/count.h"
#include "kernels/execution/cuda/job_segments.h"
#include "kernels/execution/cuda/pace.h"

namespace tegu::cuda {

// The number of segments of a batch. `memory`: bytes of workspace or host memory for each. `cost`: of a
// segment's results, as bytes read in the same time.
inline std::uint64_t count_batch(const Segments& input, std::size_t element_bytes, std::uint64_t memory,
                                 std::uint64_t cost, const CountPolicy& policy, const DeviceLimits& limits) {
    const std::uint64_t launch_bytes = policy.launch_bytes * limits.multiprocessors;
    const std::uint64_t segment_bytes = input.n * element_bytes + cost;
    const std::uint64_t batch =
        std::min(policy.batch_bytes / memory, launch_bytes / std::max<std::uint64_t>(1, segment_bytes));
    return std::max<std::uint64_t>(1, std::min(batch, input.count));
}

// Calls each(range) for every launch. Stops at the first error.
template <class Each>
Result<void> for_count_ranges(const Segments& input, std::size_t element_bytes, const CountShape& shape,
                              Each each) {
    const PieceGrid grid{input.count, count_stretches(input, element_bytes), shape.segments, shape.at_once};
    return for_pieces(grid, [&](const Piece& piece) {
        return each(CountRange{piece.row, piece.rows, piece.col});
    });
}

}  // namespace tegu::cuda
