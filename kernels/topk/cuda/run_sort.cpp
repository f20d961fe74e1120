// SPDX-License-Identifier: Apache-2.0
// The way for many results: radix sort of what survives a cut, or of all elements.
#include <algorithm>

#include "kernels/selection/cuda/sort.h"
#include "kernels/topk/cuda/run.h"

namespace tegu::cuda {
namespace {

class SortSelection {
  public:
    explicit SortSelection(TopkRun* run)
        : run_(*run),
          rank_(safe_rank(run->output.k, run->in.n, run->sample)),
          all_(run->output.distinct || rank_ > std::min<std::uint64_t>(run->sample / 2, run->capacity)),
          capacity_(capacity_of_lists()) {}

    Result<void> run() {
        run_.method = all_ ? "sort" : "cut+sort";
        if (capacity_ > kMaxSortPairs)
            return make_error(Status::OutOfMemory, "topk: so many results cannot be sorted on the GPU");
        const std::uint64_t size = run_.batch_size(capacity_ * (2 * run_.in.width + 16));
        Result<void> done = take(size);
        if (done)
            done = run_.for_each_batch(size, [this](const TopkBatch& batch) {
                return all_ ? sort_all(batch) : cut_and_sort(batch);
            });
        if (done && !all_)
            done = repair_cuts(&run_, UsedCuts{states_, survivors_.seen, capacity_},
                               [this](const TopkBatch& one) { return sort_survivors(one); });
        if (done) run_.context.workspace->counters_are_left_zero();
        return done;
    }

  private:
    // Of survivors only a target: if too many survive, a new cut is made.
    std::uint64_t capacity_of_lists() const {
        const std::uint64_t n = run_.in.n, k = run_.output.k;
        if (all_) return n;
        const std::uint64_t before = max_before(loosest_rank(rank_, run_.sample), n, run_.sample);
        const std::uint64_t capacity = std::min(n, std::max(before, k));
        return k <= kMaxSortPairs ? std::min(capacity, kMaxSortPairs) : capacity;
    }

    Result<void> take(std::uint64_t batch) {
        const unsigned width = run_.in.width;
        ArrayTaker arrays(run_.context);
        buffers_.capacity = capacity_;
        buffers_.tile =
            sort_tile_for(width, capacity_ * batch, run_.config.policy.sort_tile, run_.config.limits);
        for (unsigned i = 0; i < 2; ++i) {
            buffers_.keys[i] = arrays.take<std::byte>(batch * capacity_ * width);
            buffers_.origins[i] = arrays.take<std::uint32_t>(batch * capacity_);
        }
        buffers_.tiles = arrays.take<std::uint64_t>(batch * sort_tile_words(capacity_, buffers_.tile));
        buffers_.plans = arrays.take<SortPlan>(batch);
        states_ = arrays.take<SelectState>(run_.in.count);
        if (!all_)
            choose_survivor_blocks(run_.in.n, batch, run_.pieces().max, run_.config.limits, &survivors_);
        const std::uint64_t counts = all_ ? 0 : batch * survivors_.blocks, tickets = all_ ? 0 : batch;
        auto* const words =
            arrays.take_counters<std::uint32_t>(2 * counts + tickets + batch * sort_counter_words(width));
        if (!arrays.done()) return arrays.done();
        if (all_) {
            if (run_.output.distinct) runs_ = arrays.take<std::uint64_t>(batch * kMaxCompactTiles);
        } else {
            survivors_.seen = arrays.take_shown<std::uint64_t>(run_.in.count);
            survivors_.indices = arrays.take<std::uint64_t>(batch * capacity_);
            survivors_.counts = reinterpret_cast<std::uint64_t*>(words);
            survivors_.tickets = words + 2 * counts;
        }
        buffers_.counters = words + 2 * counts + tickets;
        return arrays.done();
    }

    SortJob job_of(const TopkBatch& batch) const {
        SurvivorBuffers survivors = survivors_;
        if (survivors.seen != nullptr) survivors.seen += batch.first;
        return SortJob{batch.in, buffers_,     states_ + batch.first, survivors,
                       runs_,    batch.output, run_.pieces()};
    }

    Result<void> sort_all(const TopkBatch& batch) {
        const SortJob job = job_of(batch);
        LaunchStatus status = launch_sort(job, run_.config);
        if (status == 0 && batch.output.distinct) status = launch_write_distinct(job, run_.config);
        return run_.pace.check(status, "topk's sort");
    }

    Result<void> cut_and_sort(const TopkBatch& batch) {
        const SampleCut cut{run_.sample, rank_, states_ + batch.first};
        Result<void> found = check_cuda(launch_sample_cut(batch.in, cut, run_.config), "topk of a sample");
        return found ? sort_survivors(batch) : found;
    }

    Result<void> sort_survivors(const TopkBatch& batch) {
        const SortJob job = job_of(batch);
        LaunchStatus status = launch_keep_survivors(job, run_.config);
        if (status == 0) status = launch_sort(job, run_.config);
        return run_.pace.check(status, "topk's sort of survivors");
    }

    TopkRun& run_;
    const std::uint64_t rank_;      // of the cut in the sample
    const bool all_;                // elements are sorted, without a cut
    const std::uint64_t capacity_;  // pairs of a segment
    SortBuffers buffers_{};
    SelectState* states_ = nullptr;
    SurvivorBuffers survivors_{};
    std::uint64_t* runs_ = nullptr;  // of equal keys
};

}  // namespace

Result<void> select_by_sorting(TopkRun* run) {
    return SortSelection(run).run();
}

}  // namespace tegu::cuda
