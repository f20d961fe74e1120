// SPDX-License-Identifier: Apache-2.0
// entropy: the Shannon entropy of the levels of an array, or of each of its rows. docs/numerics.md defines
// the levels and the value; its bits do not depend on a maths library. kernels/entropy/cpu/run.h counts a
// segment.
#include "kernels/counting/cpu/counting_run.h"
#include "kernels/entropy/cpu/run.h"
#include "kernels/registry.h"

namespace tegu::kernels {
namespace {

Result<void> check_params(const Job& job, const EntropyParams& params) {
    if (params.levels < 2 || params.levels > kMaxEntropyLevels)
        return bad_range("levels", "2.." + std::to_string(kMaxEntropyLevels),
                         "levels is " + std::to_string(params.levels));
    if (params.base != LogBase::Two && params.base != LogBase::E)
        return bad_range("base", "0 (two) or 1 (e)", "base of the logarithm is not known");
    if (params.has_range) {
        const Result<LevelScale> scale =
            level_scale_of_range(job.type, params.lo, params.hi, params.levels, "the range");
        if (!scale) return scale.error();
    }
    if (params.partial && job.axis != Axis::Whole)
        return field_error(Status::BadRequest, "axis", "0", "a partial is that of a whole array");
    if (params.partial && !params.has_range && is_float(job.type))
        return field_error(Status::BadRequest, "range", "lo < hi",
                           "a partial of floats needs a range, because one piece does not know that of all");
    if (segments_are_empty(job))
        return field_error(Status::EmptyInput, job.rows == 0 ? "rows" : "cols", "at least 1",
                           "entropy of an empty sequence is not defined");
    if (segments_of(job) > std::uint64_t{1} << 58)
        return field_error(Status::TooLarge, "rows", "up to 2^58",
                           "a result for each of " + std::to_string(job.rows) + " rows is too large");
    return {};
}

std::size_t value_bytes(const Job& job, const EntropyRun& run) {
    return run.by_values() ? ValueCounter::worker_bytes(job.type) : 0;
}

std::uint64_t predict_ns(const Job& job, const EntropyRun& run) {
    return predict_counting_ns(job, run.element_ps() + (run.by_values() ? value_ps(job.type) : 0),
                               run.segment_ns());
}

Result<void> count_levels(const Job& job, const Segment& segment, std::uint64_t row, const WorkerGroup& group,
                          EntropyRun* run) {
    FiniteRange found;
    if (run->has_range_pass()) {
        Result<FiniteRange> range = find_finite_range(job.type, segment, group);
        if (!range) return std::move(range).error();
        found = *range;
    }
    Result<void> begun = run->begin(group, row, found);
    if (!begun) return begun;
    if (!sweep(segment, group, [&](const std::byte* data, std::size_t n, unsigned worker) {
            run->take(data, n, worker, group);
        }))
        return group.stop().error();
    run->finish(group, row);
    return {};
}

}  // namespace

Result<JobPlan> plan_entropy(const Job& job, const EntropyParams& params, const CpuPolicies&) {
    Result<void> checked = check_params(job, params);
    if (!checked) return std::move(checked).error();
    const EntropyRun run(job, params, nullptr);
    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Entropy, ElementType::F64, segments_of(job), 1}};
    if (params.partial)
        plan.outputs = {ArraySpec{ArrayRole::Levels, ElementType::U64, 1, std::uint64_t{params.levels} + 1}};
    plan.bytes_written = array_bytes(plan.outputs[0]);
    plan.bytes_read = job.rows * job.cols * element_bytes(job.type) * (run.has_range_pass() ? 2 : 1);
    const std::size_t bytes = run.worker_bytes() + value_bytes(job, run);
    plan.scratch_bytes = bytes * max_workers(bytes);
    plan.predicted_ns = predict_ns(job, run);
    return plan;
}

Result<RunReport> run_entropy(const Job& job, const EntropyParams& params, const JobPlan& plan,
                              Span<const InputView> inputs, Span<const OutputView> outputs,
                              const CpuContext& context, const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    EntropyRun run(job, params, outputs.data());
    const std::size_t bytes = run.worker_bytes() + value_bytes(job, run);
    const WorkerGroup workers = group_for(context, plan.predicted_ns, stop, max_workers(bytes));
    Result<AlignedBytes> memory = allocate_workers(bytes, workers.size());
    if (!memory) return std::move(memory).error();
    run.attach(memory->get(), workers.size());
    std::optional<ValueCounter> values;
    if (run.by_values())
        values.emplace(job.type, memory->get() + run.worker_bytes() * workers.size(), workers.size());

    const auto one = [&](std::uint64_t row, const WorkerGroup& group) -> Result<void> {
        const Segment segment = segment_at(job, inputs[0], row);
        if (!run.by_values()) return count_levels(job, segment, row, group, &run);
        values->begin(group);
        if (!sweep(segment, group, [&](const std::byte* data, std::size_t n, unsigned worker) {
                values->take(data, n, worker, group);
            }))
            return stop.error();
        return run.finish_values(group, row, values->finish(group));
    };
    Result<void> done =
        for_segments(job, job.cols * element_bytes(job.type) + kCountingRowCost, workers, one);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(workers.size());
    report.policy.add("method", run.by_values() ? "values" : "levels");
    report.policy.add("passes", run.has_range_pass() ? 2u : 1u);
    report.filled_columns = {params.partial ? std::uint64_t{params.levels} + 1 : 1};
    return report;
}

}  // namespace tegu::kernels
