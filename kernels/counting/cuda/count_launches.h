// SPDX-License-Identifier: Apache-2.0
// How the work of one counting job follows one another: batches of segments, whose work space is bounded,
// and in them launches of some segments, or of a part of a long one, so that no launch holds the device for
// long.
#pragma once

#include <algorithm>

#include "kernels/counting/cuda/count.h"
#include "kernels/execution/cuda/job_segments.h"
#include "kernels/execution/cuda/pace.h"

namespace tegu::cuda {

// Segments of a batch. `memory`: bytes that each takes of the work space or of the host; `cost`: of its
// results, as bytes to read that take as long.
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
