// SPDX-License-Identifier: Apache-2.0
// The checks, the plan and the run of entropy; kernels/entropy/cpu/run.h has what happens to a segment.
#include "kernels/entropy/entropy.h"

#include "kernels/counting/cpu/counting_run.h"
#include "kernels/entropy/cpu/run.h"

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

Result<void> count_levels(const Job& job, const Segment& segment, std::uint64_t row, const Crew& crew,
                          EntropyRun* run, const StopToken& stop) {
    FiniteRange found;
    if (run->looks_first()) {
        Result<FiniteRange> looked = find_finite_range(job.type, segment, crew, stop);
        if (!looked) return std::move(looked).error();
        found = *looked;
    }
    Result<void> begun = run->begin(crew, row, found);
    if (!begun) return begun;
    if (!sweep(segment, crew, stop, [&](const std::byte* data, std::size_t n, unsigned worker) {
            run->take(data, n, worker, crew);
        }))
        return stop.error();
    run->finish(crew, row);
    return {};
}

}  // namespace

Result<JobPlan> plan_entropy(const Job& job, const EntropyParams& params, const CpuPolicies&) {
    Result<void> checked = check_params(job, params);
    if (!checked) return std::move(checked).error();
    const EntropyRun run(job, params, nullptr);
    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Entropy, ElementType::F64, segments_of(job), 1}};
    plan.bytes_written = array_bytes(plan.outputs[0]);
    plan.bytes_read = job.rows * job.cols * element_bytes(job.type) * (run.looks_first() ? 2 : 1);
    const std::size_t bytes = run.worker_bytes() + value_bytes(job, run);
    plan.scratch_bytes = bytes * most_workers(bytes);
    plan.predicted_ns = predict_ns(job, run);
    return plan;
}

Result<RunReport> run_entropy(const Job& job, const EntropyParams& params, Span<const InputView> inputs,
                              Span<const OutputView> outputs, const CpuContext& context,
                              const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    EntropyRun run(job, params, outputs.data());
    const std::size_t bytes = run.worker_bytes() + value_bytes(job, run);
    const unsigned workers = crew_size(context, predict_ns(job, run), most_workers(bytes));
    Result<WorkerMemory> memory = allocate_workers(bytes, workers);
    if (!memory) return std::move(memory).error();
    run.attach(memory->get(), workers);
    std::optional<ValueCounter> values;
    if (run.by_values()) values.emplace(job.type, memory->get() + run.worker_bytes() * workers, workers);

    Result<void> done = run_segments(
        job, inputs[0], context.pool, workers, stop,
        [&](const Segment& segment, std::uint64_t row, const Crew& crew) -> Result<void> {
            if (!run.by_values()) return count_levels(job, segment, row, crew, &run, stop);
            values->begin(crew);
            if (!sweep(segment, crew, stop, [&](const std::byte* data, std::size_t n, unsigned worker) {
                    values->take(data, n, worker, crew);
                }))
                return stop.error();
            return run.finish_values(crew, row, values->finish(crew));
        });
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(workers);
    report.policy += run.by_values() ? " method=values" : " method=levels";
    report.policy += run.looks_first() ? " passes=2" : " passes=1";
    report.filled_columns = {1};
    return report;
}

}  // namespace tegu::kernels
