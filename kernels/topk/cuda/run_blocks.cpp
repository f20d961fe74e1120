// SPDX-License-Identifier: Apache-2.0
// The ways for short segments: a warp or a block selects all results of each, in one launch.
#include <algorithm>

#include "kernels/topk/cuda/run.h"

namespace tegu::cuda {
namespace {

// Elements that a multiprocessor's blocks select from in one launch.
constexpr std::uint64_t kBlockWork = std::uint64_t{1} << 22;

// Elements that a multiprocessor reads once, or a few times where a bound was bad.
constexpr std::uint64_t kSegmentWork = std::uint64_t{1} << 21;

std::uint64_t rank_in_sample(const TopkRun& run) {
    return safe_rank(run.output.k, run.in.n, segment_sample(run.in.width, run.config.policy));
}

}  // namespace

bool warps_suit(const TopkRun& run) {
    const KeySegments& in = run.in;
    if (in.width > 4 || run.output.k > run.config.policy.warp_results) return false;
    return in.n <= kWarpElements || (!run.output.distinct && can_select_best_rows(in, run.output.k));
}

bool segments_suit(const TopkRun& run) {
    const KeySegments& in = run.in;
    const bool fills =
        in.count > 1 && in.count >= run.config.limits.multiprocessors && in.n <= kSegmentWork / 2;
    return (fills || in.n <= run.config.policy.block_elements) && run.output.k <= run.capacity &&
           can_select_segments(in, run.output.k, rank_in_sample(run), run.config);
}

Result<void> select_by_segments(TopkRun* run) {
    run->method = "segment";
    const std::uint64_t work =
        run->in.width == 8 ? kSegmentWork / 4 : kSegmentWork;  // read up to eleven times
    const std::uint64_t max = std::clamp<std::uint64_t>(work * run->config.limits.multiprocessors / run->in.n,
                                                        1, std::uint64_t{1} << 30);
    return run->for_each_batch(max, [&](const TopkBatch& batch) {
        return check_cuda(launch_select_segments(batch.in, batch.output, rank_in_sample(*run), run->config),
                          "topk of segments");
    });
}

Result<void> select_by_warps(TopkRun* run) {
    run->method = "warp";
    const bool bounded = !run->output.distinct && can_select_best_rows(run->in, run->output.k);
    const std::uint64_t max = kBlockWork * run->config.limits.multiprocessors / run->in.n;
    return run->for_each_batch(max, [&](const TopkBatch& batch) {
        const auto launch = bounded ? launch_select_best_rows : launch_select_rows;
        return check_cuda(launch(batch.in, batch.output, run->config.stream), "topk of rows");
    });
}

Result<void> select_by_blocks(TopkRun* run) {
    run->method = "block";
    const std::uint64_t max = std::clamp<std::uint64_t>(
        kBlockWork * run->config.limits.multiprocessors / run->in.n, 1, std::uint64_t{1} << 30);
    return run->for_each_batch(max, [&](const TopkBatch& batch) {
        return check_cuda(launch_select_blocks(batch.in, batch.output, run->config), "topk of blocks");
    });
}

}  // namespace tegu::cuda
