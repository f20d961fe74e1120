// SPDX-License-Identifier: Apache-2.0
// fused: several operations on one array in one job; each gives the same bits as alone. Statistics, histogram
// and entropy share their reads of the data (kernels/fused/cpu/sweeps.h); other parts follow one by one.
// Only this operation uses other operations.
#include "kernels/fused/part.h"

#include <algorithm>

#include "kernels/fused/cpu/sweeps.h"
#include "kernels/registry.h"

namespace tegu::kernels {
namespace {

std::string_view stem_of(const FusedPart& part) {
    return info_of(operation_of(part)).stem;
}

// Converts the part to a separate job.
Job job_of(const Job& job, const FusedPart& part) {
    Job alone = job;
    std::visit([&](const auto& params) { alone.params = params; }, part);
    return alone;
}

// Adds one part that shares its reads: its parameters, and its outputs from `first` on, or none.
void add_part(const FusedPart& part, const OutputView* first, SweptParts* parts) {
    if (const auto* reduce = std::get_if<ReduceParams>(&part)) {
        if (reduce->partial) return;  // its nodes are jobs of their own
        parts->reduce = reduce;
        parts->reduce_outputs = first;
    } else if (const auto* histogram = std::get_if<HistogramParams>(&part)) {
        parts->histogram = histogram;
        parts->histogram_outputs = first;
    } else if (const auto* entropy = std::get_if<EntropyParams>(&part)) {
        parts->entropy = entropy;
        parts->entropy_outputs = first;
    }
}

Result<void> check_parts(const FusedParams& params) {
    if (params.parts.empty())
        return field_error(Status::BadRequest, "parts", std::string("one or more of ") + fused_part_words(),
                           "a fused job has no parts");
    for (std::size_t i = 0; i < params.parts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (params.parts[i].index() == params.parts[j].index())
                return field_error(Status::BadRequest, "parts",
                                   std::string("each at most once: ") + fused_part_words(),
                                   std::string(stem_of(params.parts[i])) + " is there twice");
    return {};
}

// Time of one read of the data from memory on one thread, measured on an x86-64 server core: 10 GB/s.
std::uint64_t read_ns(const Job& job) {
    return job.rows * job.cols * element_bytes(job.type) / 10;
}

// Parts that share a read pay for it once.
std::uint64_t fused_ns(const Job& job, std::uint64_t swept_ns, std::uint64_t swept,
                       std::uint64_t slowest_ns) {
    const std::uint64_t saved = swept > 1 ? (swept - 1) * read_ns(job) : 0;
    return std::max(slowest_ns, swept_ns > saved ? swept_ns - saved : 0);
}

}  // namespace

Result<JobPlan> plan_fused(const Job& job, const FusedParams& params, const CpuPolicies& policies) {
    Result<void> checked = check_parts(params);
    if (!checked) return std::move(checked).error();
    JobPlan plan;
    SweptParts swept;
    std::uint64_t swept_count = 0, swept_ns = 0, slowest_ns = 0, others_ns = 0;
    for (const FusedPart& part : params.parts) {
        Result<JobPlan> alone = plan_job(job_of(job, part), policies);
        if (!alone) return error_of_part(operation_of(part), std::move(alone).error());
        plan.outputs.insert(plan.outputs.end(), alone->outputs.begin(), alone->outputs.end());
        if (__builtin_add_overflow(plan.bytes_written, alone->bytes_written, &plan.bytes_written))
            return field_error(Status::TooLarge, "parts", "results of less than 2^64 bytes",
                               "the results are larger than any buffer");
        if (is_swept(part)) {
            add_part(part, nullptr, &swept);
            ++swept_count;
            swept_ns += alone->predicted_ns;
            slowest_ns = std::max(slowest_ns, alone->predicted_ns);
        } else {
            others_ns += std::min(alone->predicted_ns, ~std::uint64_t{0} / 4);
            plan.bytes_read += alone->bytes_read;
            plan.scratch_bytes = std::max(plan.scratch_bytes, alone->scratch_bytes);
        }
        plan.parts.push_back(std::move(*alone));
    }
    const auto sweeps = static_cast<std::uint64_t>(sweeps_of(job, swept));
    plan.bytes_read += sweeps * job.rows * job.cols * element_bytes(job.type);
    plan.scratch_bytes = std::max(plan.scratch_bytes, sweep_scratch_bytes(job, swept));
    plan.predicted_ns = others_ns + fused_ns(job, swept_ns, swept_count, slowest_ns);
    return plan;
}

bool is_swept(const FusedPart& part) {
    SweptParts swept;
    add_part(part, nullptr, &swept);
    return swept.any();
}

Error error_of_part(Operation part, Error error) {
    if (error.status == Status::Cancelled || error.status == Status::DeadlineExceeded) return error;
    error.message = std::string(info_of(part).stem) + ": " + error.message;
    return error;
}

Result<RunReport> run_fused(const Job& job, const FusedParams& params, const JobPlan& plan,
                            Span<const InputView> inputs, Span<const OutputView> outputs,
                            const CpuContext& context, const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    std::vector<std::uint64_t> filled_columns;
    unsigned workers = 1;
    SweptParts swept;
    std::uint64_t swept_ns = 0;
    unsigned passes = 0;
    RunPolicy others;
    std::size_t next = 0;
    for (std::size_t i = 0; i < params.parts.size(); ++i) {
        const FusedPart& part = params.parts[i];
        const JobPlan& own_plan = plan.parts[i];
        const Span<const OutputView> own = outputs.subspan(next, own_plan.outputs.size());
        next += own.size();
        if (is_swept(part)) {
            add_part(part, own.data(), &swept);
            swept_ns += own_plan.predicted_ns;
            for (const ArraySpec& output : own_plan.outputs) filled_columns.push_back(output.cols);
            continue;
        }
        Result<RunReport> done = run_job(job_of(job, part), own_plan, inputs, own, context, stop);
        if (!done) return error_of_part(operation_of(part), std::move(done).error());
        workers = std::max(workers, done->threads);
        filled_columns.insert(filled_columns.end(), done->filled_columns.begin(), done->filled_columns.end());
        others.add(stem_of(part), "(" + done->policy.text() + ")");
        ++passes;
    }
    if (swept.any()) {
        Result<unsigned> done = run_sweeps(job, swept, inputs[0], context, swept_ns, stop);
        if (!done) return std::move(done).error();
        workers = std::max(workers, *done);
        passes += static_cast<unsigned>(sweeps_of(job, swept));
    }
    RunReport report = cpu_report(workers);
    report.policy.add("passes", passes);
    if (!others.empty()) report.policy.add_word("parts", others.text());
    report.filled_columns = std::move(filled_columns);
    return report;
}

}  // namespace tegu::kernels
