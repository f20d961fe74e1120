// SPDX-License-Identifier: Apache-2.0
// The ways for few different values of long segments: very few in one pass; else the steps of run_cuts.cpp,
// where repeated values are dropped on the way.
#include <algorithm>
#include <vector>

#include "kernels/topk/cuda/run.h"

namespace tegu::cuda {
namespace {

Result<void> select_batch(TopkRun* run, const TopkBatch& batch, const FilteredSegments& filtered) {
    const SelectionConfig& config = run->config;
    Result<void> done = check_cuda(launch_distinct_cut(batch.in, batch.output.k, filtered.states, config),
                                   "distinct topk of a sample");
    if (done)
        done = run->filter(batch, kFilterBytes / 4, "distinct topk's filter", [&](const ElementRange& range) {
            return launch_distinct_filter(batch.in, range, filtered, config);
        });
    if (!done) return done;
    return check_cuda(launch_distinct_survivors(batch.in, filtered, batch.output, config),
                      "distinct topk of survivors");
}

// Waits for all launches. Returns whether they have determined the results of each segment.
Result<bool> is_determined(TopkRun* run, const SelectState* states, const std::uint64_t* seen) {
    constexpr std::uint64_t kNot = ~std::uint64_t{0};
    const std::uint64_t count = run->in.count;
    if (seen != nullptr) {
        Result<void> done = run->context.workspace->synchronize();
        if (!done) return std::move(done).error();
        return std::all_of(seen, seen + count, [](std::uint64_t found) { return found != kNot; });
    }
    std::vector<SelectState> found(static_cast<std::size_t>(count));
    Result<void> done =
        run->context.workspace->read(found.data(), states, found.size() * sizeof(SelectState));
    if (!done) return std::move(done).error();
    return std::all_of(found.begin(), found.end(),
                       [](const SelectState& state) { return state.found != kNot; });
}

}  // namespace

Result<void> select_distinct(TopkRun* run) {
    const KeySegments& in = run->in;
    const unsigned block = distinct_capacity(in.width, run->config.policy, run->config.limits);
    const std::uint64_t before = max_before(run->output.k, in.n, run->sample);
    const std::uint64_t capacity = std::min(in.n, std::max<std::uint64_t>(before, 8 * std::uint64_t{block}));
    const std::uint64_t size = run->batch_size(2 * capacity * (sizeof(std::uint64_t) + in.width));
    ArrayTaker arrays(run->context);
    const PairLists lists = run->take_lists(&arrays, size, capacity);
    const PairLists spare = run->take_lists(&arrays, size, capacity);
    auto* const states = arrays.take<SelectState>(in.count);
    auto* const seen = arrays.take_shown<std::uint64_t>(in.count);
    if (!arrays.done()) return arrays.done();
    const Result<void> done = run->for_each_batch(size, [&](const TopkBatch& batch) {
        return select_batch(
            run, batch,
            FilteredSegments{
                states + batch.first, lists, spare, seen == nullptr ? nullptr : seen + batch.first, {}});
    });
    if (!done) return done;
    const Result<bool> determined = is_determined(run, states, seen);
    if (!determined) return determined.error();
    // Too many different keys, or too few repeats in each block.
    if (!*determined) return select_by_sorting(run);
    run->method = "distinct";
    run->waited = true;
    if (seen != nullptr && in.count == 1) run->found = seen;
    return {};
}

Result<void> select_few_distinct(TopkRun* run) {
    const KeySegments& in = run->in;
    const unsigned width = in.width;
    unsigned blocks = few_distinct_blocks(in.n, 1, run->config.limits);
    const std::uint64_t size = run->batch_size((blocks + 1) * (kFewDistinct + 1) * (width + 4));
    blocks = few_distinct_blocks(in.n, size, run->config.limits);
    ArrayTaker arrays(run->context);
    const std::uint64_t lists = size * (blocks + 1);
    auto* const indices = arrays.take<std::uint32_t>(lists * (kFewDistinct + 1));
    auto* const seen = arrays.take_shown<std::uint64_t>(in.count);
    const FewDistinct few{arrays.take<std::byte>(lists * kFewDistinct * width), indices,
                          arrays.take_counters<std::uint32_t>(size), blocks};
    if (!arrays.done()) return arrays.done();
    const Result<void> done = run->for_each_batch(size, [&](const TopkBatch& batch) {
        // Sorted elements, each better than all before, take a round for each of the k results.
        const std::uint64_t bytes = kFilterBytes / (4 + 2 * run->output.k);
        return run->filter(batch, bytes, "distinct topk", [&](const ElementRange& range) {
            return launch_few_distinct(batch.in, range, few, batch.output,
                                       seen == nullptr ? nullptr : seen + batch.first, run->config);
        });
    });
    if (!done) return done;
    run->context.workspace->counters_are_left_zero();
    run->method = "distinct";
    if (seen == nullptr || in.count != 1) return {};
    run->waited = true;
    run->found = seen;
    return run->context.workspace->synchronize();
}

}  // namespace tegu::cuda
