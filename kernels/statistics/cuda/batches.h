// SPDX-License-Identifier: Apache-2.0
// What jobs of reduce and dot share on the host: the shape, the work space, and how launches follow one
// another, in batches of sequences and in parts of one long sequence, so that no launch holds the device for
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
// what the end of a sequence takes, as bytes to read that take as long
constexpr std::uint64_t kEndBytes = 256;

// The most sequences of a launch. `places`: each has some of its own, for partial results or a total.
inline std::uint64_t most_sequences(std::uint64_t sequences, const ReduceShape& shape, bool places) {
    constexpr std::uint64_t kMostBlocks = 1 << 30;
    const std::uint64_t most = places ? kMostPlaces / shape.groups : kMostBlocks;
    return std::min(sequences, std::max<std::uint64_t>(1, most));
}

// Calls each(range, ends) for every launch; `ends`: the last launch of these sequences. Stops at the first
// error. `sequence_bytes`: that are read for one sequence; `most`: most_sequences().
template <class Each>
Result<void> for_ranges(std::uint64_t sequences, std::uint64_t sequence_bytes, std::uint64_t launch_bytes,
                        std::uint64_t most, const ReduceShape& shape, Each each) {
    const std::uint64_t fit =
        std::max<std::uint64_t>(1, launch_bytes / std::max<std::uint64_t>(1, sequence_bytes));
    const std::uint64_t batch = std::max<std::uint64_t>(1, std::min(fit, most));
    const std::uint64_t group_bytes = std::max<std::uint64_t>(1, sequence_bytes / shape.groups);
    const std::uint64_t at_once =
        batch > 1 ? shape.groups
                  : std::min(shape.groups, std::max<std::uint64_t>(1, launch_bytes / group_bytes));
    for (std::uint64_t first = 0; first < sequences; first += batch) {
        const std::uint64_t count = std::min(batch, sequences - first);
        for (std::uint64_t group = 0; group < shape.groups; group += at_once) {
            const std::uint64_t groups = std::min(at_once, shape.groups - group);
            Result<void> done =
                each(ReduceRange{first, count, group, groups}, group + groups == shape.groups);
            if (!done) return done;
        }
    }
    return {};
}

// The launches of one job. `exact_bytes`: of the place of a sequence whose exact result does not fit its
// type; 0: all fit.
class SequenceLaunches {
  public:
    SequenceLaunches(const ReduceWorkload& work, std::size_t exact_bytes, const Context& context)
        : context_(context), sequences_(work.sequences), exact_bytes_(exact_bytes) {
        if (sequences_ != 0) shape_ = choose_reduce_shape(work, context.policies.reduce, context.limits);
    }
    const ReduceShape& shape() const { return shape_; }

    // launch(work, range) gives a LaunchStatus; overflow(sequence, place) the error of the first sequence
    // that does not fit.
    template <class Launch, class Overflow>
    Result<void> run(std::uint64_t sequence_bytes, const char* name, const kernels::StopToken& stop,
                     Launch launch, Overflow overflow) {
        if (sequences_ == 0) return {};
        Result<void> done = prepare();
        if (!done) return done;
        const std::uint64_t launch_bytes =
            context_.policies.reduce.launch_bytes * context_.limits.multiprocessors;
        Pace pace(context_, stop);
        done = for_ranges(sequences_, sequence_bytes + kEndBytes, launch_bytes, at_once(), shape_,
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
        return most_sequences(sequences_, shape_, shape_.groups > 1 || exact_bytes_ != 0);
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
        const std::uint64_t sequence = ~found;
        return overflow(
            sequence, static_cast<const std::byte*>(work_.totals) + (sequence - range.first) * exact_bytes_);
    }

    const Context& context_;
    const std::uint64_t sequences_;
    const std::size_t exact_bytes_;
    ReduceWork work_{};
    ReduceShape shape_{};
};

}  // namespace tegu::cuda
