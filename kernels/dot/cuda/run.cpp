// SPDX-License-Identifier: Apache-2.0
#include "kernels/dot/cuda/dot.h"
#include "kernels/dot/result.h"
#include "kernels/execution/cuda/job_segments.h"
#include "kernels/operation_cuda.h"
#include "kernels/registry.h"
#include "kernels/statistics/cuda/batches.h"

namespace tegu::cuda {
namespace {

using kernels::segment_elements;

// Returns whether n products of integers may exceed 64 bits.
bool may_overflow(const Job& job) {
    const std::size_t bits = 16 * element_bytes(job.type);
    return !is_float(job.type) && (bits >= 63 || segment_elements(job) >> (63 - bits) != 0);
}

// The error of a sum that does not fit.
Result<void> overflow_of(const Job& job, const Context& context, std::uint64_t segment, const void* exact) {
    kernels::IntegerDot dot{};
    Result<void> done = context.workspace->read(&dot, exact, sizeof dot);
    if (!done) return done;
    std::byte unused[sizeof(std::uint64_t)];
    Result<void> written =
        kernels::write_dot(dot, is_signed_integer(job.type) ? ElementType::I64 : ElementType::U64, unused);
    if (written) return make_error(Status::Internal, "a sum that did not fit has changed");
    if (job.axis == Axis::Rows) return kernels::in_row(std::move(written).error(), segment);
    return written;
}

// The products of all segments, or with `wide` the exact ones of one.
Result<ReduceShape> run_segments(const JobRun& run, const DotParams& params, const Context& context,
                                 bool wide) {
    const Job& job = run.job;
    const DotInputs both{segments_of(job, run.inputs[0]), segments_of(job, run.inputs[1]), params.skip_nans};
    SegmentLaunches launches(dot_workload(job.type, both.x.count, both.x.n),
                             !wide && may_overflow(job) ? sizeof(kernels::IntegerDot) : 0, context);
    const auto launch = [&](const ReduceWork& work, const ReduceRange& range) {
        const DotWork with{work, run.outputs[0].data, wide};
        return launch_dot({job.type, both, with, launches.shape()}, range, context.stream);
    };
    const auto overflow = [&](std::uint64_t segment, const void* exact) {
        return overflow_of(job, context, segment, exact);
    };
    Result<void> done =
        launches.run(2 * both.x.n * element_bytes(job.type), "dot", run.stop, launch, overflow);
    if (!done) return std::move(done).error();
    return launches.shape();
}

// The nodes of a piece, each as a job of its own over its elements.
Result<void> run_nodes(const JobRun& run, const DotParams& params, const Context& context) {
    const std::uint64_t nodes = node_count(params.offset, run.job.cols, params.last);
    const std::vector<std::uint64_t> zeros(nodes * kDotNodeWords);
    kernels::OutputView to = run.outputs[0];
    if (nodes == 0) return {};
    Result<void> done = context.workspace->write(to.data, zeros.data(), zeros.size() * sizeof zeros[0]);
    for_each_node(params.offset, run.job.cols, params.last, [&](std::uint64_t begin, std::uint64_t count) {
        Job job = run.job;
        job.cols = count;
        const std::uint64_t bytes = begin * element_bytes(job.type);
        const kernels::InputView inputs[2] = {{run.inputs[0].data + bytes, count},
                                              {run.inputs[1].data + bytes, count}};
        const JobRun node{job, {}, {inputs, 2}, {&to, 1}, run.stop};
        if (done) {
            Result<ReduceShape> shape = run_segments(node, params, context, true);
            if (!shape) done = std::move(shape).error();
        }
        to.data += kDotNodeWords * sizeof(std::uint64_t);
    });
    return done;
}

}  // namespace

Result<kernels::RunReport> run_dot(const JobRun& run, const DotParams& params, const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    if (params.partial) {
        Result<kernels::RunReport> report = report_when_done(run_nodes(run, params, context), context);
        if (report) report->filled_columns = {kDotNodeWords};
        return report;
    }
    Result<ReduceShape> shape = run_segments(run, params, context, false);
    Result<void> done;
    if (!shape) done = shape.error();
    Result<kernels::RunReport> report = report_when_done(std::move(done), context);
    if (!report) return report;
    report->policy.add("block", shape->threads);
    report->policy.add("tiles", shape->tiles_per_warp);
    report->filled_columns = {1};
    return report;
}

}  // namespace tegu::cuda
