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
        if (!done || all_) return done;
        return repair_cuts(&run_, UsedCuts{states_, nullptr, capacity_},
                           [this](const TopkBatch& one) { return sort_survivors(one); });
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
        ArrayTaker arrays(run_.context);
        buffers_.capacity = capacity_;
        buffers_.tile = sort_tile_for(run_.in.width, run_.config.policy.sort_tile);
        for (unsigned i = 0; i < 2; ++i) {
            buffers_.keys[i] = arrays.take<std::byte>(batch * capacity_ * run_.in.width);
            buffers_.origins[i] = arrays.take<std::uint32_t>(batch * capacity_);
        }
        buffers_.counts = arrays.take<std::uint32_t>(batch * sort_count_words(capacity_, buffers_.tile));
        buffers_.totals = arrays.take<std::uint32_t>(batch * kSortDigits);
        states_ = arrays.take_zeroed<SelectState>(run_.in.count);
        tiles_ = arrays.take<std::uint64_t>(batch * kMaxCompactTiles);
        if (!all_) indices_ = arrays.take<std::uint64_t>(batch * capacity_);
        return arrays.done();
    }

    SortJob job_of(const TopkBatch& batch) const {
        return SortJob{batch.in, buffers_,     states_ + batch.first, indices_,
                       tiles_,   batch.output, run_.pieces()};
    }

    Result<void> sort_all(const TopkBatch& batch) {
        const SortJob job = job_of(batch);
        const auto write = batch.output.distinct ? launch_write_distinct : launch_write_sorted;
        LaunchStatus status = launch_rank_all(job, run_.config);
        if (status == 0) status = launch_sort(job, run_.config);
        if (status == 0) status = write(job, run_.config);
        return run_.pace.check(status, "topk's sort");
    }

    Result<void> cut_and_sort(const TopkBatch& batch) {
        const SampleCut cut{run_.sample, rank_, states_ + batch.first};
        Result<void> found = check_cuda(launch_sample_cut(batch.in, cut, run_.config), "topk of a sample");
        return found ? sort_survivors(batch) : found;
    }

    Result<void> sort_survivors(const TopkBatch& batch) {
        const SortJob job = job_of(batch);
        LaunchStatus status = launch_compact_survivors(job, run_.config);
        if (status == 0) status = launch_sort(job, run_.config);
        if (status == 0) status = launch_write_sorted(job, run_.config);
        return run_.pace.check(status, "topk's sort of survivors");
    }

    TopkRun& run_;
    const std::uint64_t rank_;      // of the cut in the sample
    const bool all_;                // elements are sorted, without a cut
    const std::uint64_t capacity_;  // pairs of a segment
    SortBuffers buffers_{};
    SelectState* states_ = nullptr;
    std::uint64_t* tiles_ = nullptr;
    std::uint64_t* indices_ = nullptr;  // of survivors
};

}  // namespace

Result<void> select_by_sorting(TopkRun* run) {
    return SortSelection(run).run();
}

}  // namespace tegu::cuda
