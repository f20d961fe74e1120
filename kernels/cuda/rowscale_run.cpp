// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/rowscale_run.h"

#include <string>

#include "kernels/cuda/rowscale.h"

namespace tegu::cuda {
namespace {

// A whole array without gaps is one long line; one with gaps has a line for each of its rows.
RowscaleArrays arrays_of(const Job& job, const RowscaleParams& params, const kernels::InputView& input,
                         Span<const kernels::OutputView> outputs) {
    RowscaleArrays arrays{input.data, outputs[0].data, outputs[1].data, nullptr, job.rows, job.cols, input.row_stride, 1, params.skip_nans};
    if (job.axis == Axis::Rows) return arrays;
    arrays.rows = 1;
    if (job.rows <= 1 || input.row_stride == job.cols)
        arrays.cols = job.rows * job.cols;
    else
        arrays.lines = job.rows;
    return arrays;
}

Result<void> launch(const Job& job, RowscaleArrays arrays, const RowscaleShape& shape, const Context& context) {
    if (shape.needs_keys()) {
        Result<void*> keys = context.workspace->take_zeroed(arrays.rows * sizeof(std::uint64_t));
        if (!keys) return std::move(keys).error();
        arrays.keys = static_cast<std::uint64_t*>(*keys);
    }
    return check_cuda(launch_rowscale(job.type, arrays, shape, context.policies.rowscale, context.limits, context.stream), "rowscale");
}

std::string policy_of(const RowscaleShape& shape, const RowscalePolicy& policy) {
    const std::string block = " block=" + std::to_string(policy.threads_per_block);
    return shape.needs_keys() ? block + " two launches" : block + " lanes=" + std::to_string(shape.lanes) + " packs=" + std::to_string(shape.packs);
}

}  // namespace

Result<kernels::RunReport> run_rowscale(const Job& job, const RowscaleParams& params, Span<const kernels::InputView> inputs,
                                        Span<const kernels::OutputView> outputs, const Context& context, const kernels::StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    const RowscaleArrays arrays = arrays_of(job, params, inputs[0], outputs);
    const RowscaleShape shape = rowscale_shape(job.type, arrays, context.policies.rowscale);
    Result<void> done = launch(job, arrays, shape, context);
    if (done) done = context.workspace->synchronize();
    if (!done) return std::move(done).error();
    kernels::RunReport report = cuda_report(context);
    report.policy += policy_of(shape, context.policies.rowscale);
    report.filled_columns = {job.cols, 1};
    return report;
}

}  // namespace tegu::cuda
