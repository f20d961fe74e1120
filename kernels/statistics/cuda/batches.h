// SPDX-License-Identifier: Apache-2.0
// What jobs of reduce and dot share on the host: the shape, the work space, and how launches follow one
// another, in batches of segments and in parts of one long segment, so that no launch holds the device for
// long and the work space stays small.
#pragma once

#include <algorithm>

#include "base/result.h"
#include "kernels/execution/cuda/context.h"
#include "kernels/execution/cuda/pace.h"
#include "kernels/operation.h"
#include "kernels/statistics/cuda/reduce.h"

namespace tegu::cuda {

constexpr std::uint64_t kMostPlaces = 1 << 18;  // partial results, or totals, that are held at once
// what the end of a segment takes, as bytes to read that take as long
constexpr std::uint64_t kEndBytes = 256;

// The most segments of a launch. `places`: each has some of its own, for partial results or a total.
inline std::uint64_t most_segments(std::uint64_t segments, const ReduceShape& shape, bool places) {
    constexpr std::uint64_t kMostBlocks = 1 << 30;
    const std::uint64_t most = places ? kMostPlaces / shape.groups : kMostBlocks;
    return std::min(segments, std::max<std::uint64_t>(1, most));
}

// Calls each(range, ends) for every launch; `ends`: the last launch of these segments. Stops at the first
// error. `segment_bytes`: that are read for one segment; `most`: most_segments().
template <class Each>
Result<void> for_ranges(std::uint64_t segments, std::uint64_t segment_bytes, std::uint64_t launch_bytes,
                        std::uint64_t most, const ReduceShape& shape, Each each) {
    const std::uint64_t fit =
        std::max<std::uint64_t>(1, launch_bytes / std::max<std::uint64_t>(1, segment_bytes));
    const std::uint64_t batch = std::max<std::uint64_t>(1, std::min(fit, most));
    const std::uint64_t group_bytes = std::max<std::uint64_t>(1, segment_bytes / shape.groups);
    const std::uint64_t at_once =
        batch > 1 ? shape.groups
                  : std::min(shape.groups, std::max<std::uint64_t>(1, launch_bytes / group_bytes));
    for (std::uint64_t first = 0; first < segments; first += batch) {
        const std::uint64_t count = std::min(batch, segments - first);
        for (std::uint64_t group = 0; group < shape.groups; group += at_once) {
            const std::uint64_t groups = std::min(at_once, shape.groups - group);
            Result<void> done =
                each(ReduceRange{first, count, group, groups}, group + groups == shape.groups);
            if (!done) return done;
        }
    }
    return {};
}

// The launches of one job. `exact_bytes`: of the place of a segment whose exact result does not fit its
// type; 0: all fit.
class SegmentLaunches {
  public:
    SegmentLaunches(const ReduceWorkload& work, std::size_t exact_bytes, const Context& context)
        : context_(context), segments_(work.segments), exact_bytes_(exact_bytes) {
        if (segments_ != 0) shape_ = choose_reduce_shape(work, context.policies.reduce, context.limits);
    }
    const ReduceShape& shape() const { return shape_; }

    // launch(work, range) gives a LaunchStatus; overflow(segment, place) the error of the first segment
    // that does not fit.
    template <class Launch, class Overflow>
    Result<void> run(std::uint64_t segment_bytes, const char* name, const kernels::StopToken& stop,
                     Launch launch, Overflow overflow) {
        if (segments_ == 0) return {};
        Result<void> done = prepare();
        if (!done) return done;
        const std::uint64_t launch_bytes =
            context_.policies.reduce.launch_bytes * context_.limits.multiprocessors;
        Pace pace(context_, stop);
        done = for_ranges(segments_, segment_bytes + kEndBytes, launch_bytes, at_once(), shape_,
                          [&](const ReduceRange& range, bool ends) -> Result<void> {
                              Result<void> paced = pace.next();
                              if (!paced) return paced;
                              Result<void> launched = check_cuda(launch(work_, range), name);
                              return launched && exact_bytes_ != 0 && ends ? check(range, overflow)
                                                                           : std::move(launched);
                          });
        if (done) context_.workspace->counters_are_left_zero();
        return done;
    }

  private:
    std::uint64_t at_once() const {
        return most_segments(segments_, shape_, shape_.groups > 1 || exact_bytes_ != 0);
    }

    Result<void> prepare() {
        Workspace& space = *context_.workspace;
        if (exact_bytes_ != 0) {
            Result<void*> totals = space.take(at_once() * exact_bytes_);
            if (!totals) return std::move(totals).error();
            work_.totals = *totals;
        }
        const std::uint64_t partials =
            at_once() * shape_.closing.places * (kReducePartialBytes / sizeof(std::uint64_t));
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
