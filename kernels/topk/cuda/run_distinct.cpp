// SPDX-License-Identifier: Apache-2.0
// The way for few different values of long segments: the steps of run_cuts.cpp. Repeated values are dropped
// on the way.
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
    if (!arrays.done()) return arrays.done();
    Result<void> done = run->for_each_batch(size, [&](const TopkBatch& batch) {
        return select_batch(run, batch, FilteredSegments{states + batch.first, lists, spare, nullptr, {}});
    });
    if (!done) return done;
    std::vector<SelectState> found(static_cast<std::size_t>(in.count));
    done = run->context.workspace->read(found.data(), states, found.size() * sizeof(SelectState));
    if (!done) return done;
    // Too many different keys, or too few repeats in each block.
    if (std::any_of(found.begin(), found.end(), [](const SelectState& state) { return state.found != 0; }))
        return select_by_sorting(run);
    run->method = "distinct";
    return {};
}

}  // namespace tegu::cuda
