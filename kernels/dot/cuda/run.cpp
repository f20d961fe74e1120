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

}  // namespace

Result<kernels::RunReport> run_dot(const JobRun& run, const DotParams& params, const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    const Job& job = run.job;
    const DotInputs both{segments_of(job, run.inputs[0]), segments_of(job, run.inputs[1]), params.skip_nans};
    SegmentLaunches launches(dot_workload(job.type, both.x.count, both.x.n),
                             may_overflow(job) ? sizeof(kernels::IntegerDot) : 0, context);
    const auto launch = [&](const ReduceWork& work, const ReduceRange& range) {
        const DotWork with{work, run.outputs[0].data};
        return launch_dot({job.type, both, with, launches.shape()}, range, context.stream);
    };
    const auto overflow = [&](std::uint64_t segment, const void* exact) {
        return overflow_of(job, context, segment, exact);
    };
    Result<kernels::RunReport> report = report_when_done(
        launches.run(2 * both.x.n * element_bytes(job.type), "dot", run.stop, launch, overflow), context);
    if (!report) return report;
    report->policy.add("block", launches.shape().threads);
    report->policy.add("tiles", launches.shape().tiles_per_warp);
    report->filled_columns = {1};
    return report;
}

}  // namespace tegu::cuda
