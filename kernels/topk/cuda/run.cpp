// SPDX-License-Identifier: Apache-2.0
// Chooses how a top-k job runs on the GPU, and reports it.
#include "kernels/topk/cuda/run.h"

#include <algorithm>

#include "kernels/registry.h"
#include "kernels/selection/cuda/sort.h"

namespace tegu::cuda {
namespace {

constexpr std::uint64_t kBatchBytes = std::uint64_t{64} << 20;  // lists of a batch; one segment may need more
constexpr std::uint64_t kMaxBatch = 32768;

SelectionOutput output_of(const TopkParams& params, Span<const kernels::OutputView> outputs) {
    const auto words = [&](std::size_t i) { return reinterpret_cast<std::uint64_t*>(outputs[i].data); };
    return {outputs[0].data, words(1), params.distinct ? words(2) : nullptr, params.k, params.distinct};
}

Result<void> select(TopkRun* run) {
    const KeySegments& in = run->in;
    const std::uint64_t k = run->output.k, capacity = run->capacity;
    const SelectionPolicy& policy = run->config.policy;
    if (warps_suit(*run)) return select_by_warps(run);
    const bool fits = in.n <= capacity;
    if (run->output.distinct) {
        if (fits) return select_by_blocks(run);
        if (k <= kFewDistinct && in.n < kMaxSortPairs) return select_few_distinct(run);
        const bool few = 4 * k <= distinct_capacity(in.width, policy, run->config.limits);
        return few && in.n < kMaxSortPairs ? select_distinct(run) : select_by_sorting(run);
    }
    if (k > capacity) return buckets_suit(*run) ? select_by_buckets(run) : select_by_sorting(run);
    if (segments_suit(*run)) return select_by_segments(run);
    return fits || in.n <= policy.block_elements ? select_by_blocks(run) : select_by_cuts(run);
}

}  // namespace

TopkRun::TopkRun(const JobRun& run, const TopkParams& params, const Context& with)
    : in(segments_of(run.job, run.inputs[0], params.largest)),
      output(output_of(params, run.outputs)),
      context(with),
      config(with.config(with.policies.selection)),
      stop(run.stop),
      sample(sample_size(in.n, in.width, config.policy, config.limits)),
      capacity(block_capacity(in.width, config.policy, config.limits)),
      pace(with, run.stop) {}

TopkBatch TopkRun::batch(std::uint64_t first, std::uint64_t count) const {
    TopkBatch batch{first, part_of(in, first, count), output};
    batch.output.values = static_cast<std::byte*>(output.values) + first * output.k * in.width;
    batch.output.indices += first * output.k;
    if (output.counts != nullptr) batch.output.counts += first;
    return batch;
}

std::uint64_t TopkRun::batch_size(std::uint64_t segment_bytes) const {
    return std::clamp<std::uint64_t>(kBatchBytes / segment_bytes, 1, std::min(in.count, kMaxBatch));
}

Result<void> TopkRun::for_each_batch(std::uint64_t max,
                                     const std::function<Result<void>(const TopkBatch&)>& body) {
    return for_pieces(pieces_of(in.count, max), [&](const Piece& piece) {
        Result<void> paced = pace.next();
        return paced ? body(batch(piece.row, piece.rows)) : paced;
    });
}

Result<void> TopkRun::filter(const TopkBatch& batch, std::uint64_t bytes, const char* name,
                             const std::function<LaunchStatus(const ElementRange&)>& launch) {
    constexpr std::uint64_t kTile = std::uint64_t{1} << 16;
    constexpr std::uint64_t kElements = std::uint64_t{1}
                                        << 23;  // all of them may survive a cut that misleads
    const std::uint64_t each = std::min(bytes / in.width, kElements);  // of a multiprocessor
    const std::uint64_t elements = each * config.limits.multiprocessors / batch.in.count;
    const std::uint64_t max = std::min<std::uint64_t>((elements / kTile + 1) * kTile, std::uint64_t{1} << 31);
    const LaunchStatus status =
        in_pieces(pace.pieces(max), in.n, 1, [&](std::uint64_t begin, std::uint64_t some) {
            return launch(ElementRange{begin, begin + some});
        });
    return pace.check(status, name);
}

PairLists TopkRun::take_lists(ArrayTaker* arrays, std::uint64_t count, std::uint64_t list_capacity) const {
    auto* const indices = arrays->take<std::uint64_t>(count * list_capacity);
    return PairLists{arrays->take<std::byte>(count * list_capacity * in.width), indices, list_capacity};
}

Result<kernels::RunReport> run_topk(const JobRun& run, const TopkParams& params, const Context& context) {
    kernels::RunReport report = cuda_report(context);
    report.filled_columns.assign(2, params.k);
    if (params.distinct) report.filled_columns.push_back(1);
    if (run.job.axis == Axis::Rows && run.job.rows == 0) return report;
    TopkRun topk(run, params, context);
    Result<void> done = select(&topk);
    if (!done) return std::move(done).error();
    if (params.distinct && run.job.axis == Axis::Whole) {
        std::uint64_t found = topk.found != nullptr ? *topk.found : 0;
        if (topk.found == nullptr) done = context.workspace->read(&found, run.outputs[2].data, sizeof found);
        if (!done) return std::move(done).error();
        // The count may be in client memory, so the client may have changed it.
        report.filled_columns[0] = report.filled_columns[1] = std::min(found, params.k);
    }
    if (!topk.waited) done = context.workspace->synchronize();
    if (!done) return std::move(done).error();
    report.policy.add_word("method", topk.method);
    if (topk.counted_cut) report.policy.add_word("cut", "counted");
    return report;
}

}  // namespace tegu::cuda
