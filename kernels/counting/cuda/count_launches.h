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

// Totals of up to `segments` segments from the workspace. None for many: these have few teams each, and
// clearing their counts costs less.
inline CountTotals take_totals(std::uint64_t segments, std::uint64_t slots, ArrayTaker* arrays) {
    constexpr std::uint64_t kMaxSegments = 32, kMaxWords = 1 << 17;
    const std::uint64_t words = segments * slots;
    if (segments > kMaxSegments || words > kMaxWords) return {};
    auto* const sums = arrays->take_counters<std::uint64_t>(words + (segments + 1) / 2);
    return {sums, sums == nullptr ? nullptr : reinterpret_cast<std::uint32_t*>(sums + words)};
}

// The launches of a batch. Nothing is owned.
struct PacedCount {
    Pace* pace;
    CountLaunch part;         // without its range
    std::uint64_t* counters;  // [segments, slots]
    std::uint64_t slots;
};
// Counts segments. Clears the counters where several teams or launches add to them, and no totals are there.
// launch(part) starts one launch of the part `part.range`; `name` prefixes its error.
template <class Launch>
Result<void> count_in_pieces(const PacedCount& count, const char* name, Launch launch) {
    CountLaunch part = count.part;
    const std::uint64_t stretches = count_stretches(part.input, part.element_bytes);
    const bool adds = part.shape.adds(stretches) && (part.totals.sums == nullptr || !part.shape.shared);
    const PieceGrid grid{part.input.count, stretches, part.shape.segments, part.shape.at_once};
    return count.pace->launch(grid, name, [&](const Piece& piece) {
        part.range = CountRange{piece.row, piece.rows, piece.col};
        LaunchStatus status = 0;
        if (adds && piece.col == 0)
            status = zero_counters(count.counters + piece.row * count.slots, piece.rows * count.slots,
                                   part.stream);
        return status == 0 ? launch(part) : status;
    });
}

}  // namespace tegu::cuda
