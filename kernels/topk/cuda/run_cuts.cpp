// SPDX-License-Identifier: Apache-2.0
// The way for few results of long segments: find a cut, keep what survives it, sort the best of that. The
// launches of a batch need no host decision in between; at the end the host repairs bad cuts.
#include <algorithm>

#include "kernels/topk/cuda/run.h"

namespace tegu::cuda {
namespace {

// maximum of segments that several blocks sample each; with more, one block samples each
constexpr std::uint64_t kSampledTogether = 32;

class CutSelection {
  public:
    explicit CutSelection(TopkRun* run)
        : run_(*run),
          groups_(groups_of(*run)),
          rank_(std::min(safe_rank(run->output.k, run->in.n, run->sample), run->sample)),
          capacity_(
              std::min(run->in.n, std::max<std::uint64_t>(before(), 2 * std::uint64_t{run->capacity}))) {}

    Result<void> run() {
        const std::uint64_t batch = run_.batch_size(capacity_ * (sizeof(std::uint64_t) + run_.in.width));
        Result<void> done = take(batch);
        if (done)
            done = run_.for_each_batch(batch, [this](const TopkBatch& part) {
                Result<void> found = find_cuts(part);
                return found ? select(part, minima_in(part)) : found;
            });
        if (!done) return done;
        if (minima_.boards != nullptr) run_.context.workspace->counters_are_left_zero();
        return repair_cuts(&run_, UsedCuts{states_, seen_, capacity_},
                           [this](const TopkBatch& one) { return select(one, GroupMinima{}); });
    }

  private:
    std::uint64_t before() const {
        return groups_.groups != 0 ? max_before(groups_, run_.in.n)
                                   : max_before(rank_, run_.in.n, run_.sample);
    }

    Result<void> take(std::uint64_t batch) {
        const std::uint64_t count = run_.in.count;
        ArrayTaker arrays(run_.context);
        lists_ = run_.take_lists(&arrays, batch, capacity_);
        states_ = arrays.take<SelectState>(count);
        seen_ = arrays.take_shown<std::uint64_t>(count);
        if (groups_.groups == 0) return arrays.done();
        minima_ = minima_of(groups_, run_.in.n);
        if (filter_samples(run_.in, groups_, run_.config)) {
            minima_.boards = arrays.take_counters<std::uint64_t>(count * groups_.board_words());
        } else {
            minima_.keys = arrays.take<std::byte>(count * groups_.groups * run_.in.width);
            minima_.numbers = arrays.take<std::uint32_t>(count * groups_.groups);
        }
        return arrays.done();
    }

    // The part of the minima that belongs to a batch.
    GroupMinima minima_in(const TopkBatch& batch) const {
        GroupMinima minima = minima_;
        if (groups_.groups == 0) return minima;
        const std::uint64_t first = batch.first * groups_.groups;
        if (minima.boards != nullptr) {
            minima.boards += batch.first * groups_.board_words();
        } else {
            minima.keys = static_cast<std::byte*>(minima_.keys) + first * run_.in.width;
            minima.numbers += first;
        }
        return minima;
    }

    Result<void> find_cuts(const TopkBatch& batch) {
        SelectState* const states = states_ + batch.first;
        if (minima_.boards != nullptr) return {};  // the filter finds them
        if (groups_.groups != 0)
            return check_cuda(launch_group_minima(batch.in, minima_in(batch), states, run_.config),
                              "topk of a sample");
        const SampleCut cut{run_.sample, rank_, states};
        return check_cuda(launch_sample_cut(batch.in, cut, run_.config), "topk of a sample");
    }

    // Keeps the survivors of the cuts, and sorts the best of them.
    Result<void> select(const TopkBatch& batch, const GroupMinima& minima) {
        const FilteredSegments filtered{
            states_ + batch.first, lists_, {}, seen_ == nullptr ? nullptr : seen_ + batch.first, minima};
        Result<void> kept = run_.filter(batch, kFilterBytes, "topk's filter", [&](const ElementRange& range) {
            return launch_filter(batch.in, range, filtered, run_.config);
        });
        if (!kept) return kept;
        return check_cuda(launch_select_survivors(batch.in, filtered, batch.output, run_.config),
                          "topk of survivors");
    }

    TopkRun& run_;
    const GroupedSample groups_;
    const std::uint64_t rank_;      // of the cut in a sample without groups
    const std::uint64_t capacity_;  // of the list of a segment
    PairLists lists_{};
    SelectState* states_ = nullptr;
    std::uint64_t* seen_ = nullptr;  // numbers of survivors, visible to the host; null: the states have them
    GroupMinima minima_{};
};

}  // namespace

GroupedSample groups_of(const TopkRun& run) {
    const unsigned groups = filter_threads_of(run.config.policy, run.config.limits);
    const bool suits = run.in.count <= kSampledTogether && run.in.cols >= run.in.n && run.in.n >= groups &&
                       run.in.n / groups < 0xffffffffu;
    return suits ? choose_groups(run.output.k, run.in.n, groups, run.config.policy, run.config.limits)
                 : GroupedSample{};
}

Result<void> select_by_cuts(TopkRun* run) {
    run->method = "cut";
    return CutSelection(run).run();
}

}  // namespace tegu::cuda
