// SPDX-License-Identifier: Apache-2.0
// The ways for short segments: a warp or a block selects all results of a segment, in one launch.
#include <algorithm>

#include "kernels/topk/cuda/run.h"

namespace tegu::cuda {
namespace {

// Elements that a multiprocessor's blocks select from in one launch.
constexpr std::uint64_t kBlockWork = std::uint64_t{1} << 22;

}  // namespace

Result<void> select_by_warps(TopkRun* run) {
    run->method = "warp";
    const std::uint64_t max = kBlockWork * run->config.limits.multiprocessors / kWarpElements;
    return run->for_each_batch(max, [&](const TopkBatch& batch) {
        return check_cuda(launch_select_rows(batch.in, batch.output, run->config.stream), "topk of rows");
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
