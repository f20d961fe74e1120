// SPDX-License-Identifier: Apache-2.0
// The ways for short segments: a warp or a block finds all quantiles of a segment and writes them, in one
// launch.
#include <algorithm>

#include "kernels/quantile/cuda/run.h"

namespace tegu::cuda {
namespace {

// elements that a multiprocessor sorts in one launch
constexpr std::uint64_t kBlockWork = std::uint64_t{1} << 22;

LaunchStatus launch_search(QuantileRun* run, const KeySegments& part, const QuantileOutput& output) {
    const QuantilePolicy& policy = run->config.policy;
    if (part.width <= 4 && part.n <= std::min<std::uint64_t>(policy.warp_elements, kWarpQuantileElements)) {
        run->method = "warps";
        return launch_quantile_rows(part, output, run->config);
    }
    if (narrows(*run)) {
        run->method = "windows";
        return launch_quantile_windows(part, output, run->config);
    }
    run->method = "blocks";
    return launch_quantile_blocks(part, output, run->config);
}

}  // namespace

// Narrowing pays if the blocks fill the device, or if the segments are not too long.
bool narrows(const QuantileRun& run) {
    const QuantilePolicy& policy = run.config.policy;
    const bool fills = run.in.count * 2 >= run.config.limits.multiprocessors && run.in.n <= kBlockWork;
    return run.params.q.size() <= policy.windows && run.in.n > policy.window_elements &&
           (fills || run.in.n <= 32768);
}

Result<void> find_by_blocks(QuantileRun* run) {
    const std::uint64_t max = std::clamp<std::uint64_t>(
        kBlockWork * run->config.limits.multiprocessors / run->in.n, 1, std::uint64_t{1} << 30);
    QuantileOutput output{};
    Result<void> done = run->prepare(&output);
    if (done)
        done = run->pace.launch(pieces_of(run->in.count, max), "quantile of rows", [&](const Piece& piece) {
            output.results = run->out + piece.row * run->result_bytes;
            return launch_search(run, part_of(run->in, piece.row, piece.rows), output);
        });
    return done ? run->context.workspace->synchronize() : done;
}

}  // namespace tegu::cuda
