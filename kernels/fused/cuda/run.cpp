// SPDX-License-Identifier: Apache-2.0
// Statistics, histogram and entropy of a long array share its reads; the other parts run one after another.
// If several parts fail, the job returns the error that the CPU backend finds first. That one computes them
// row by row.
#include <algorithm>
#include <optional>

#include "kernels/fused/cuda/run_counts.h"
#include "kernels/fused/cuda/run_values.h"
#include "kernels/fused/part.h"
#include "kernels/operation_cuda.h"
#include "kernels/registry.h"

namespace tegu::cuda {
namespace {

static_assert(kMaxPolicyParts == kMaxFusedParts, "policies for each part");

struct Part {
    const FusedPart* params;
    Job job;  // the part's own
    Span<const kernels::OutputView> outputs;
    const Policies* policies;
    Operation operation() const { return operation_of(*params); }
};

// Errors caused by the data or the request; other errors end the job.
bool is_of_part(const Error& error) {
    return error.status == Status::BadRange || error.status == Status::Overflow;
}

// Orders errors as the CPU backend finds them: by row, then by part of the row.
bool comes_before(const Part& a, const Error& of_a, const Part& b, const Error& of_b) {
    const auto rank = [](Operation part) {
        return part == Operation::Reduce ? 0 : part == Operation::Histogram ? 1 : 2;
    };
    const std::uint64_t row_of_a = of_a.row.value_or(0), row_of_b = of_b.row.value_or(0);
    if (row_of_a != row_of_b) return row_of_a < row_of_b;
    return rank(a.operation()) < rank(b.operation());
}

unsigned bit_of(const Part& part) {
    switch (part.operation()) {
        case Operation::Reduce: return kSharedReduce;
        case Operation::Histogram: return kSharedHistogram;
        default: return kSharedEntropy;
    }
}

std::vector<Part> parts_of(const JobRun& run, const FusedParams& params, const Context& context) {
    std::vector<Part> parts;
    std::size_t next = 0;
    for (std::size_t i = 0; i < params.parts.size(); ++i) {
        const Policies* const policies = context.parts.parts[i];
        Part part{&params.parts[i], run.job, run.outputs.subspan(next, run.parts[i].outputs.size()),
                  policies != nullptr ? policies : &context.policies};
        std::visit([&](const auto& own) { part.job.params = own; }, params.parts[i]);
        next += part.outputs.size();
        parts.push_back(std::move(part));
    }
    return parts;
}

}  // namespace

Result<kernels::RunReport> run_fused(const JobRun& run, const FusedParams& params, const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    if (run.parts.size() != params.parts.size())
        return make_error(Status::Internal, "a fused job runs without the plans of its parts");
    const std::vector<Part> parts = parts_of(run, params, context);
    std::vector<kernels::RunReport> reports(parts.size());
    const Part* failed = nullptr;
    std::optional<Error> error;
    std::vector<FusedOutputs> shared;
    for (const Part& part : parts)
        if (kernels::is_swept(*part.params)) shared.push_back({part.params, part.outputs, part.policies});
    const bool by_values = shares_values(run.job, {shared.data(), shared.size()}, context.policies.count);
    unsigned done_together = 0;
    const auto is_shared = [&](const Part& part) {
        return kernels::is_swept(*part.params) && (by_values || (done_together & bit_of(part)) != 0);
    };
    for (const bool swept : {false, true}) {
        if (swept && by_values) {
            Result<void> done = run_on_values(run, {shared.data(), shared.size()}, context);
            if (!done) return std::move(done).error();
        } else if (swept) {
            const Result<unsigned> done = run_on_counts(run, {shared.data(), shared.size()}, context);
            if (!done) return done.error();
            done_together = *done;
        }
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const Part& part = parts[i];
            if (kernels::is_swept(*part.params) != swept || is_shared(part)) continue;
            Context own = context;
            own.policies = *part.policies;
            Result<kernels::RunReport> done =
                run_part({part.job, {}, run.inputs, part.outputs, run.stop}, own);
            if (done)
                reports[i] = std::move(*done);
            else if (!swept || !is_of_part(done.error()))
                return kernels::error_of_part(part.operation(), std::move(done).error());
            else if (!error || comes_before(part, done.error(), *failed, *error)) {
                failed = &part;
                error = std::move(done).error();
            }
        }
    }
    if (error) return kernels::error_of_part(failed->operation(), *std::move(error));
    kernels::RunReport report = cuda_report(context);
    report.policy.add_word("order", "one after another:");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Operation operation = parts[i].operation();
        if (is_shared(parts[i])) {
            report.policy.add_word(info_of(operation).stem, by_values ? "values" : "shared");
            for (const ArraySpec& output : run.parts[i].outputs) report.filled_columns.push_back(output.cols);
            continue;
        }
        report.policy.add(info_of(operation).stem, "(" + reports[i].policy.text() + ")");
        report.filled_columns.insert(report.filled_columns.end(), reports[i].filled_columns.begin(),
                                     reports[i].filled_columns.end());
    }
    return report;
}

}  // namespace tegu::cuda
