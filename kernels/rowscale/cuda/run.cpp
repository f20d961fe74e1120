// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "kernels/execution/cuda/pace.h"
#include "kernels/operation_cuda.h"
#include "kernels/registry.h"
#include "kernels/rowscale/cuda/rowscale.h"

namespace tegu::cuda {
namespace {

// A whole array without gaps is one long line; otherwise each of its rows is a line.
RowscaleArrays arrays_of(const JobRun& run, const RowscaleParams& params) {
    const Job& job = run.job;
    const kernels::InputView& input = run.inputs[0];
    RowscaleArrays arrays{
        input.data, run.outputs[0].data, run.outputs[1].data, nullptr, job.rows, job.cols, input.row_stride,
        1,          params.skip_nans};
    if (job.axis == Axis::Rows) return arrays;
    arrays.rows = 1;
    if (job.rows <= 1 || input.row_stride == job.cols)
        arrays.cols = job.rows * job.cols;
    else
        arrays.lines = job.rows;
    return arrays;
}

class Run {
  public:
    Run(const JobRun& run, const RowscaleArrays& arrays, const Context& context)
        : bytes_(element_bytes(run.job.type)),
          arrays_(arrays),
          context_(context),
          config_(context.config(context.policies.rowscale)),
          pace_(context, run.stop),
          shape_(rowscale_shape(run.job.type, arrays, config_.policy, context.limits)) {}

    Result<void> run() {
        return shape_.method == RowscaleMethod::Spread && arrays_.lines != 0 && arrays_.cols != 0 ? spread()
                                                                                                  : by_rows();
    }

    void describe(kernels::RunPolicy* policy) const {
        policy->add("block", shape_.threads);
        if (shape_.method == RowscaleMethod::Spread) return policy->add_word("method", "two launches");
        if (shape_.method == RowscaleMethod::Sweeps) return policy->add_word("method", "two sweeps");
        if (shape_.method == RowscaleMethod::Trail) return policy->add_word("method", "trail");
        if (shape_.method == RowscaleMethod::Joint) policy->add_word("method", "joint");
        policy->add("lanes", shape_.lanes);
        policy->add("packs", shape_.packs);
    }

  private:
    std::uint64_t launch_elements() const {
        return config_.policy.launch_bytes * config_.limits.multiprocessors / bytes_;
    }

    Result<void> by_rows() {
        const std::uint64_t together = shape_.method == RowscaleMethod::Joint ? shape_.pack : 1;  // rows
        const std::uint64_t wanted = launch_elements() / (2 * std::max<std::uint64_t>(arrays_.cols, 1));
        const std::uint64_t at_once = std::max<std::uint64_t>(1, ceil_divide(wanted, together)) * together;
        const bool trails = shape_.method == RowscaleMethod::Trail;
        ArrayTaker taker(context_);
        if (trails)
            arrays_.keys = taker.take_counters<std::uint64_t>(2 * std::min(at_once, arrays_.rows) + 1);
        if (!taker.done()) return taker.done();
        Result<void> done =
            pace_.launch(pieces_of(arrays_.rows, at_once), "rowscale", [&](const Piece& piece) {
                RowscaleArrays part = arrays_;
                part.x = static_cast<const std::byte*>(arrays_.x) + piece.row * arrays_.row_stride * bytes_;
                part.values = static_cast<std::byte*>(arrays_.values) + piece.row * arrays_.cols * bytes_;
                part.scales = static_cast<std::byte*>(arrays_.scales) + piece.row * bytes_;
                part.rows = piece.rows;
                return launch_rowscale(part, shape_, config_);
            });
        if (trails && done) context_.workspace->counters_are_left_zero();
        return done;
    }

    // The second launches start with the last pieces, which are still in the L2 cache.
    Result<void> spread() {
        ArrayTaker taker(context_);
        arrays_.keys = taker.take_zeroed<std::uint64_t>(arrays_.rows);
        if (!taker.done()) return taker.done();
        std::vector<RowscalePiece> pieces;
        const PieceGrid grid = pieces_of(arrays_.rows * arrays_.lines, arrays_.cols, launch_elements() / 2);
        Result<void> done = pace_.launch(grid, "rowscale", [&](const Piece& piece) {
            pieces.push_back(RowscalePiece{piece.row, piece.rows, piece.col, piece.cols});
            return launch_rowscale_keys(arrays_, pieces.back(), shape_, config_);
        });
        const bool several = pieces.size() > 1;
        for (; done && !pieces.empty(); pieces.pop_back()) {
            if (several) done = pace_.next();
            if (done)
                done =
                    check_cuda(launch_rowscale_divide(arrays_, pieces.back(), shape_, config_), "rowscale");
        }
        return done;
    }

    const std::size_t bytes_;
    RowscaleArrays arrays_;
    const Context& context_;
    const RowscaleConfig config_;
    Pace pace_;
    const RowscaleShape shape_;
};

}  // namespace

Result<kernels::RunReport> run_rowscale(const JobRun& run, const RowscaleParams& params,
                                        const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    Run rowscale(run, arrays_of(run, params), context);
    Result<kernels::RunReport> report = report_when_done(rowscale.run(), context);
    if (!report) return report;
    rowscale.describe(&report->policy);
    report->filled_columns = {run.job.cols, 1};
    return report;
}

}  // namespace tegu::cuda
