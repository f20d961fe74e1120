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
RowscaleArrays arrays_of(const Job& job, const RowscaleParams& params, const kernels::InputView& input,
                         Span<const kernels::OutputView> outputs) {
    RowscaleArrays arrays{input.data,      outputs[0].data, outputs[1].data,  nullptr,
                          job.rows,        job.cols,        input.row_stride, 1,
                          params.skip_nans};
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
    Run(const Job& job, const RowscaleArrays& arrays, const Context& context, const kernels::StopToken& stop)
        : type_(job.type),
          bytes_(element_bytes(job.type)),
          arrays_(arrays),
          policy_(context.policies.rowscale),
          context_(context),
          pace_(context, stop),
          shape_(rowscale_shape(job.type, arrays, policy_, context.limits)) {}

    Result<void> run() {
        return shape_.method == RowscaleMethod::Spread && arrays_.lines != 0 && arrays_.cols != 0 ? spread()
                                                                                                  : by_rows();
    }

    void describe(kernels::RunPolicy* policy) const {
        policy->add("block", shape_.threads);
        if (shape_.method == RowscaleMethod::Spread) return policy->add_word("method", "two launches");
        if (shape_.method == RowscaleMethod::Sweeps) return policy->add_word("method", "two sweeps");
        policy->add("lanes", shape_.lanes);
        policy->add("packs", shape_.packs);
    }

  private:
    std::uint64_t launch_elements() const {
        return policy_.launch_bytes * context_.limits.multiprocessors / bytes_;
    }

    Result<void> by_rows() {
        const std::uint64_t at_once =
            std::max<std::uint64_t>(1, launch_elements() / (2 * std::max<std::uint64_t>(arrays_.cols, 1)));
        return pace_.launch(pieces_of(arrays_.rows, at_once), "rowscale", [&](const Piece& piece) {
            RowscaleArrays part = arrays_;
            part.x = static_cast<const std::byte*>(arrays_.x) + piece.row * arrays_.row_stride * bytes_;
            part.values = static_cast<std::byte*>(arrays_.values) + piece.row * arrays_.cols * bytes_;
            part.scales = static_cast<std::byte*>(arrays_.scales) + piece.row * bytes_;
            part.rows = piece.rows;
            return launch_rowscale(type_, part, shape_, policy_, context_.limits, context_.stream);
        });
    }

    // The second launches start with the last pieces, which are still in the L2 cache.
    Result<void> spread() {
        Result<void*> keys = context_.workspace->take_zeroed(arrays_.rows * sizeof(std::uint64_t));
        if (!keys) return std::move(keys).error();
        arrays_.keys = static_cast<std::uint64_t*>(*keys);
        std::vector<RowscalePiece> pieces;
        const PieceGrid grid = pieces_of(arrays_.rows * arrays_.lines, arrays_.cols, launch_elements() / 2);
        Result<void> done = pace_.launch(grid, "rowscale", [&](const Piece& piece) {
            pieces.push_back(RowscalePiece{piece.row, piece.rows, piece.col, piece.cols});
            return launch_rowscale_keys(type_, arrays_, pieces.back(), shape_, policy_, context_.limits,
                                        context_.stream);
        });
        const bool several = pieces.size() > 1;
        for (; done && !pieces.empty(); pieces.pop_back()) {
            if (several) done = pace_.next();
            if (done)
                done = check_cuda(launch_rowscale_divide(type_, arrays_, pieces.back(), shape_, policy_,
                                                         context_.limits, context_.stream),
                                  "rowscale");
        }
        return done;
    }

    const ElementType type_;
    const std::size_t bytes_;
    RowscaleArrays arrays_;
    const RowscalePolicy policy_;
    const Context& context_;
    Pace pace_;
    const RowscaleShape shape_;
};

}  // namespace

Result<kernels::RunReport> run_rowscale(const JobRun& run, const RowscaleParams& params,
                                        const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    Run own(run.job, arrays_of(run.job, params, run.inputs[0], run.outputs), context, run.stop);
    Result<void> done = own.run();
    if (done) done = context.workspace->synchronize();
    if (!done) return std::move(done).error();
    kernels::RunReport report = cuda_report(context);
    own.describe(&report.policy);
    report.filled_columns = {run.job.cols, 1};
    return report;
}

}  // namespace tegu::cuda
