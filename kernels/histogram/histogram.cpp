// SPDX-License-Identifier: Apache-2.0
// histogram: counts of bins of equal width, as in numpy.histogram. kernels/histogram/cpu/run.h counts a
// segment.
#include "kernels/counting/cpu/counting_run.h"
#include "kernels/histogram/cpu/run.h"
#include "kernels/registry.h"
#include "kernels/statistics/cpu/find_extrema.h"

namespace tegu::kernels {
namespace {

Result<void> check_params(const Job& job, const HistogramParams& params) {
    if (params.bins < 1 || params.bins > kMaxBins)
        return bad_range("bins", "1.." + std::to_string(kMaxBins), "bins is " + std::to_string(params.bins));
    if (params.has_range) {
        const Result<BinRange> range = usable_bin_range(params.lo, params.hi, params.bins, "the range");
        if (!range) return range.error();
    }
    if (segments_of(job) > (std::uint64_t{1} << 58) / (std::uint64_t{params.bins} + 1))
        return field_error(Status::TooLarge, "bins", "rows * (bins + 1) up to 2^58",
                           "the histograms would be larger than any buffer");
    return {};
}

std::size_t worker_bytes(const Job& job, const HistogramRun& run) {
    return run.by_values() ? ValueCounter::worker_bytes(job.type) : run.worker_bytes();
}

std::uint64_t predict_ns(const Job& job, const HistogramRun& run) {
    return predict_counting_ns(job, run.element_ps() + (run.by_values() ? value_ps(job.type) : 0),
                               run.segment_ns());
}

Result<void> count_bins(const Job& job, const Segment& segment, std::uint64_t row, const WorkerGroup& group,
                        HistogramRun* run) {
    Extrema found;
    if (run->has_range_pass()) {
        Result<Extrema> extrema = find_extrema(job.type, segment, group);
        if (!extrema) return std::move(extrema).error();
        found = *extrema;
    }
    Result<void> begun = run->begin(group, row, found);
    if (!begun) return begun;
    if (!sweep(segment, group,
               [&](const std::byte* data, std::size_t n, unsigned worker) { run->take(data, n, worker); }))
        return group.stop().error();
    run->finish(group);
    return {};
}

}  // namespace

Result<JobPlan> plan_histogram(const Job& job, const HistogramParams& params, const CpuPolicies&) {
    Result<void> checked = check_params(job, params);
    if (!checked) return std::move(checked).error();
    const HistogramRun run(job, params, nullptr);
    const std::uint64_t rows = segments_of(job);
    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Histogram, ElementType::U64, rows, params.bins},
                    ArraySpec{ArrayRole::Edges, ElementType::F64, rows, std::uint64_t{params.bins} + 1}};
    for (const ArraySpec& output : plan.outputs) plan.bytes_written += array_bytes(output);
    plan.bytes_read = job.rows * job.cols * element_bytes(job.type) * (run.has_range_pass() ? 2 : 1);
    const std::size_t bytes = worker_bytes(job, run);
    plan.scratch_bytes = bytes * max_workers(bytes) +
                         (run.has_range_pass() ? extrema_scratch_bytes(job.type, segment_elements(job)) : 0);
    plan.predicted_ns = predict_ns(job, run);
    return plan;
}

Result<RunReport> run_histogram(const Job& job, const HistogramParams& params, const JobPlan& plan,
                                Span<const InputView> inputs, Span<const OutputView> outputs,
                                const CpuContext& context, const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    HistogramRun run(job, params, outputs.data());
    const std::size_t bytes = worker_bytes(job, run);
    const WorkerGroup workers = group_for(context, plan.predicted_ns, stop, max_workers(bytes));
    Result<AlignedBytes> memory = allocate_workers(bytes, workers.size());
    if (!memory) return std::move(memory).error();
    std::optional<ValueCounter> values;
    if (run.by_values())
        values.emplace(job.type, memory->get(), workers.size());
    else
        run.attach(memory->get(), workers.size());

    const auto one = [&](std::uint64_t row, const WorkerGroup& group) -> Result<void> {
        const Segment segment = segment_at(job, inputs[0], row);
        if (!run.by_values()) return count_bins(job, segment, row, group, &run);
        values->begin(group);
        if (!sweep(segment, group, [&](const std::byte* data, std::size_t n, unsigned worker) {
                values->take(data, n, worker, group);
            }))
            return stop.error();
        return run.finish_values(row, values->finish(group));
    };
    Result<void> done =
        for_segments(job, job.cols * element_bytes(job.type) + kCountingRowCost, workers, one);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(workers.size());
    report.policy.add("method", run.by_values() ? "values" : "bins");
    report.policy.add("passes", run.has_range_pass() ? 2u : 1u);
    report.filled_columns = {params.bins, std::uint64_t{params.bins} + 1};
    return report;
}

}  // namespace tegu::kernels
