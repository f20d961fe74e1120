// SPDX-License-Identifier: Apache-2.0
// The way for more results than one block can sort, of long segments: the steps of run_cuts.cpp, with buckets
// of survivors. Where a sample misleads, all elements are sorted.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/topk/cuda/buckets.h"
#include "kernels/topk/cuda/run.h"

namespace tegu::cuda {
namespace {

constexpr double kMaxSize = 8192;  // of a bucket, as expected; blocks read them from L2

class BucketSelection {
  public:
    explicit BucketSelection(TopkRun* run)
        : run_(*run),
          groups_(groups_of(*run)),
          buckets_(choose_buckets(groups_, run->in.n)),
          capacity_(std::min(run->in.n, std::max(max_before(groups_, run->in.n), run->output.k))) {}

    // Returns whether the results are there.
    Result<bool> run() {
        const std::uint64_t pairs = capacity_ + buckets_.count * buckets_.capacity;
        const std::uint64_t size = run_.batch_size(pairs * (sizeof(std::uint64_t) + run_.in.width));
        Result<void> done = take(size);
        if (done) done = run_.for_each_batch(size, [this](const TopkBatch& batch) { return select(batch); });
        if (!done) return std::move(done).error();
        run_.context.workspace->counters_are_left_zero();
        std::vector<std::uint64_t> found;
        done = read_survivors(&run_, UsedCuts{states_, seen_, capacity_}, &found);
        if (!done) return std::move(done).error();
        return std::all_of(found.begin(), found.end(), [this](std::uint64_t survivors) {
            return survivors >= run_.output.k && survivors <= capacity_;
        });
    }

  private:
    Result<void> take(std::uint64_t batch) {
        const std::uint64_t count = run_.in.count, width = run_.in.width, all = batch * buckets_.count;
        ArrayTaker arrays(run_.context);
        // The largest first: a sort needs less, and takes over where they do not fit.
        buckets_.indices = arrays.take<std::uint64_t>(all * buckets_.capacity);
        buckets_.keys = arrays.take<std::byte>(all * buckets_.capacity * width);
        lists_ = run_.take_lists(&arrays, batch, capacity_);
        states_ = arrays.take<SelectState>(count);
        seen_ = arrays.take_shown<std::uint64_t>(count);
        minima_ = minima_of(groups_, run_.in.n);
        minima_.keys = arrays.take<std::byte>(batch * groups_.groups * width);
        minima_.numbers = arrays.take<std::uint32_t>(batch * groups_.groups);
        buckets_.bound_keys = arrays.take<std::byte>(all * width);
        buckets_.bound_indices = arrays.take<std::uint64_t>(all);
        buckets_.sizes = arrays.take_counters<std::uint32_t>(all + batch);
        return arrays.done();
    }

    Result<void> select(const TopkBatch& batch) {
        SelectState* const states = states_ + batch.first;
        const FilteredSegments filtered{
            states, lists_, {}, seen_ == nullptr ? nullptr : seen_ + batch.first, minima_};
        Result<void> done =
            check_cuda(launch_group_minima(batch.in, minima_, states, run_.config), "topk of a sample");
        if (done)
            done = run_.filter(batch, kFilterBytes, "topk's filter", [&](const ElementRange& range) {
                return launch_filter(batch.in, range, filtered, run_.config);
            });
        if (!done) return done;
        return check_cuda(launch_select_buckets(batch.in, filtered, buckets_, batch.output, run_.config),
                          "topk of buckets");
    }

    TopkRun& run_;
    const GroupedSample groups_;
    SurvivorBuckets buckets_;
    const std::uint64_t capacity_;  // of the list of a segment
    PairLists lists_{};
    SelectState* states_ = nullptr;
    std::uint64_t* seen_ = nullptr;  // numbers of survivors, visible to the host; null: the states have them
    GroupMinima minima_{};
};

}  // namespace

SurvivorBuckets choose_buckets(const GroupedSample& sample, std::uint64_t n) {
    SurvivorBuckets buckets{};
    if (sample.groups == 0 || sample.enough > sample.groups || n >= 0xffffffffu) return buckets;
    const double before = sample.rank, count = before / kBucketEntries;  // of full ones, at least
    const double part = 1 - std::pow(1 - before / sample.groups, 1.0 / sample.each);  // of n, expected
    if (part * static_cast<double>(n) / count > kMaxSize) return buckets;
    // Few survivors lie between neighbours of a sample: five times as many as at most on the average have a
    // chance below 10^-4.
    const double capacity = 5 * static_cast<double>(max_before(sample, n)) / count + 64;
    buckets.capacity = std::min(n, static_cast<std::uint64_t>(capacity));
    buckets.count = sample.enough / kBucketEntries + 1;
    return buckets;
}

bool buckets_suit(const TopkRun& run) {
    return choose_buckets(groups_of(run), run.in.n).count != 0;
}

Result<void> select_by_buckets(TopkRun* run) {
    run->method = "buckets";
    Result<bool> done = BucketSelection(run).run();
    if (!done && done.error().status != Status::OutOfMemory) return std::move(done).error();
    if (done && *done) return {};
    run->waited = false;
    return select_by_sorting(run);
}

}  // namespace tegu::cuda
