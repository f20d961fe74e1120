// SPDX-License-Identifier: Apache-2.0
// Shared by reduce and dot jobs on the host: the shape, the workspace, and the order of launches. Launches
// take batches of segments, or parts of one long segment. So no launch holds the device for long, and the
// workspace stays small.
#pragma once

#include <algorithm>

#include "kernels/execution/cuda/pace.h"
#include "kernels/statistics/cuda/reduce.h"

namespace tegu::cuda {

constexpr std::uint64_t kMaxPartials = 1 << 18;  // partial results, or totals, that are held at once
// cost of the end of a segment, as bytes read in the same time
constexpr std::uint64_t kEndBytes = 256;

// The maximum of segments of a launch. `partials`: each has its own memory, for partial results or a total.
inline std::uint64_t max_segments(std::uint64_t segments, const ReduceShape& shape, bool partials) {
    constexpr std::uint64_t kMaxBlocks = 1 << 30;
    const std::uint64_t max = partials ? kMaxPartials / shape.groups : kMaxBlocks;
    return std::min(segments, std::max<std::uint64_t>(1, max));
}

// The pieces of a job, groups of segments. `segment_bytes`: bytes read for one segment; `max`:
// max_segments().
inline PieceGrid reduce_pieces(std::uint64_t segments, std::uint64_t segment_bytes,
                               std::uint64_t launch_bytes, std::uint64_t max, const ReduceShape& shape) {
    const std::uint64_t fit =
        std::max<std::uint64_t>(1, launch_bytes / std::max<std::uint64_t>(1, segment_bytes));
    const std::uint64_t batch = std::max<std::uint64_t>(1, std::min(fit, max));
    const std::uint64_t group_bytes = std::max<std::uint64_t>(1, segment_bytes / shape.groups);
    const std::uint64_t at_once =
        batch > 1 ? shape.groups
                  : std::min(shape.groups, std::max<std::uint64_t>(1, launch_bytes / group_bytes));
    return PieceGrid{segments, shape.groups, batch, at_once};
}

// The launches of one job. `exact_bytes`: size of the entry for the exact result of a segment that does not
// fit its type; 0: all fit.
class SegmentLaunches {
  public:
    SegmentLaunches(const ReduceWorkload& work, std::size_t exact_bytes, const Context& context)
        : context_(context), segments_(work.segments), exact_bytes_(exact_bytes) {
        if (segments_ != 0) shape_ = choose_reduce_shape(work, context.policies.reduce, context.limits);
    }
    const ReduceShape& shape() const { return shape_; }

    // launch(work, range) returns a LaunchStatus. overflow(segment, exact) returns the error of the first
    // segment that does not fit.
    template <class Launch, class Overflow>
    Result<void> run(std::uint64_t segment_bytes, const char* name, const kernels::StopToken& stop,
                     Launch launch, Overflow overflow) {
        if (segments_ == 0) return {};
        Result<void> done = prepare();
        if (!done) return done;
        const std::uint64_t launch_bytes =
            context_.policies.reduce.launch_bytes * context_.limits.multiprocessors;
        Pace pace(context_, stop);
        const PieceGrid grid =
            reduce_pieces(segments_, segment_bytes + kEndBytes, launch_bytes, at_once(), shape_);
        done = for_pieces(grid, [&](const Piece& piece) -> Result<void> {
            const ReduceRange range{piece.row, piece.rows, piece.col, piece.cols};
            Result<void> paced = pace.next();
            if (!paced) return paced;
            Result<void> launched = check_cuda(launch(work_, range), name);
            const bool ends = piece.col + piece.cols == shape_.groups;
            return launched && exact_bytes_ != 0 && ends ? check(range, overflow) : std::move(launched);
        });
        if (done) context_.workspace->counters_are_left_zero();
        return done;
    }

  private:
    std::uint64_t at_once() const {
        return max_segments(segments_, shape_, shape_.groups > 1 || exact_bytes_ != 0);
    }

    Result<void> prepare() {
        Workspace& space = *context_.workspace;
        if (exact_bytes_ != 0) {
            Result<void*> totals = space.take(at_once() * exact_bytes_);
            if (!totals) return std::move(totals).error();
            work_.totals = *totals;
        }
        const std::uint64_t partials =
            at_once() * shape_.closing.partials * (kReducePartialBytes / sizeof(std::uint64_t));
        const std::uint64_t tickets = at_once() * shape_.closing.tickets;
        Result<void*> counters =
            space.take_counters((1 + partials) * sizeof(std::uint64_t) + tickets * sizeof(std::uint32_t));
        if (!counters) return std::move(counters).error();
        work_.overflow = static_cast<std::uint64_t*>(*counters);
        work_.partials = work_.overflow + 1;
        work_.tickets = reinterpret_cast<std::uint32_t*>(work_.overflow + 1 + partials);
        return {};
    }

    template <class Overflow>
    Result<void> check(const ReduceRange& range, Overflow overflow) {
        std::uint64_t found = 0;
        Result<void> done = context_.workspace->read(&found, work_.overflow, sizeof found);
        if (!done || found == 0) return done;
        const std::uint64_t segment = ~found;
        return overflow(segment,
                        static_cast<const std::byte*>(work_.totals) + (segment - range.first) * exact_bytes_);
    }

    const Context& context_;
    const std::uint64_t segments_;
    const std::size_t exact_bytes_;
    ReduceWork work_{};
    ReduceShape shape_{};
};

}  // namespace tegu::cuda
