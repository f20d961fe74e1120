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
          rank_(std::min(safe_rank(run->output.k, run->in.n, run->sample), run->sample)),
          capacity_(std::min(run->in.n, std::max<std::uint64_t>(max_before(rank_, run->in.n, run->sample),
                                                                2 * std::uint64_t{run->capacity}))) {}

    Result<void> run() {
        const std::uint64_t batch = run_.batch_size(capacity_ * (sizeof(std::uint64_t) + run_.in.width));
        Result<void> done = take(batch);
        if (done)
            done = run_.for_each_batch(batch, [this](const TopkBatch& part) {
                Result<void> found = find_cuts(part);
                return found ? select(part) : found;
            });
        if (!done) return done;
        return repair_cuts(&run_, UsedCuts{states_, seen_, capacity_},
                           [this](const TopkBatch& one) { return select(one); });
    }

  private:
    Result<void> take(std::uint64_t batch) {
        const std::uint64_t count = run_.in.count;
        ArrayTaker arrays(run_.context);
        lists_ = run_.take_lists(&arrays, batch, capacity_);
        states_ = arrays.take<SelectState>(count);
        seen_ = arrays.take_shown<std::uint64_t>(count);
        if (count <= std::min(kSampledTogether, batch)) {
            memory_.keys = arrays.take<std::byte>(count * run_.sample * run_.in.width);
            memory_.tickets = arrays.take_counters<std::uint32_t>(count);
        }
        return arrays.done();
    }

    Result<void> find_cuts(const TopkBatch& batch) {
        const SampleCut cut{run_.sample, rank_, states_ + batch.first, memory_};
        Result<void> found = check_cuda(launch_sample_cut(batch.in, cut, run_.config), "topk of a sample");
        if (found && memory_.tickets != nullptr) run_.context.workspace->counters_are_left_zero();
        return found;
    }

    // Keeps the survivors of the cuts, and sorts the best of them.
    Result<void> select(const TopkBatch& batch) {
        const FilteredSegments filtered{
            states_ + batch.first, lists_, {}, seen_ == nullptr ? nullptr : seen_ + batch.first};
        Result<void> kept = run_.filter(batch, kFilterBytes, "topk's filter", [&](const ElementRange& range) {
            return launch_filter(batch.in, range, filtered, run_.config);
        });
        if (!kept) return kept;
        return check_cuda(launch_select_survivors(batch.in, filtered, batch.output, run_.config),
                          "topk of survivors");
    }

    TopkRun& run_;
    const std::uint64_t rank_;      // of the cut in the sample
    const std::uint64_t capacity_;  // of the list of a segment
    PairLists lists_{};
    SelectState* states_ = nullptr;
    std::uint64_t* seen_ = nullptr;  // numbers of survivors, visible to the host; null: the states have them
    SampleMemory memory_{};
};

}  // namespace

Result<void> select_by_cuts(TopkRun* run) {
    run->method = "cut";
    return CutSelection(run).run();
}

}  // namespace tegu::cuda
