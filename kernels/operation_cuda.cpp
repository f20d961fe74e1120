// SPDX-License-Identifier: Apache-2.0
#include "kernels/operation_cuda.h"

#include <array>
#include <cassert>

#include "kernels/registry.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_part(const JobRun& run, const Context& context) {
    switch (operation_of(run.job)) {
#define TEGU_X(number, Name, stem, input_count, sentence) \
    case Operation::Name: return run_##stem(run, *std::get_if<Name##Params>(&run.job.params), context);
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    }
    return make_error(Status::Unsupported, "operation is not known");
}

namespace {

// A device cannot load an element from an address that is not a multiple of its size. Such an input is copied
// first.
Result<void> align(const Job& job, const Context& context, kernels::InputView* input) {
    const std::size_t bytes = element_bytes(job.type);
    if (reinterpret_cast<std::uintptr_t>(input->data) % bytes == 0 || job.rows == 0 || job.cols == 0)
        return {};
    const std::size_t extent =
        static_cast<std::size_t>(((job.rows - 1) * input->row_stride + job.cols) * bytes);
    Result<void*> aligned = context.workspace->take(extent);
    if (!aligned) return std::move(aligned).error();
    Result<void> copied = context.workspace->copy(*aligned, input->data, extent);
    input->data = static_cast<const std::byte*>(*aligned);
    return copied;
}

Result<kernels::RunReport> run_aligned(const JobRun& run, const Context& context) {
    std::array<kernels::InputView, 2> aligned;
    assert(run.inputs.size() <= aligned.size());
    for (std::size_t i = 0; i < run.inputs.size(); ++i) {
        aligned[i] = run.inputs[i];
        Result<void> done = align(run.job, context, &aligned[i]);
        if (!done) return std::move(done).error();
    }
    return run_part({run.job, run.parts, {aligned.data(), run.inputs.size()}, run.outputs, run.stop},
                    context);
}

}  // namespace

Result<kernels::RunReport> run_job(const JobRun& run, const Context& context) {
    Result<kernels::RunReport> report = run_aligned(run, context);
    context.workspace->reset();
    return report;
}

kernels::RunReport cuda_report(const Context& context) {
    kernels::RunReport report;
    report.policy.reserve(8);
    report.policy.add_word("backend", "cuda");
    report.policy.add_word("device", "sm_" + std::to_string(context.limits.compute_capability));
    return report;
}

Result<kernels::RunReport> report_when_done(Result<void> launched, const Context& context) {
    if (launched) launched = context.workspace->synchronize();
    if (!launched) return std::move(launched).error();
    return cuda_report(context);
}

}  // namespace tegu::cuda
