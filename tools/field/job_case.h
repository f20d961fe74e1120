// SPDX-License-Identifier: Apache-2.0
// Cases of jobs: one job on the CPU with some threads, on the GPU with resident data, and on the GPU with
// transfers. They share the input and the reference result, which the CPU backend computes on one thread.
#pragma once

#include <memory>
#include <vector>

#include "tools/field/inputs.h"
#include "tools/field/jobs.h"
#include "tools/field/part.h"

namespace tegu::field {

// Host memory of the arrays of a result.
struct HostOutputs {
    explicit HostOutputs(const kernels::JobPlan& plan);
    std::vector<std::vector<std::byte>> arrays;
    std::vector<kernels::OutputView> views;
};

// A job's plan, inputs and reference, made when the first case needs them and gone with the last one.
class JobSetup {
  public:
    JobSetup(PartContext& context, FieldJob job) : context_(context), job_(std::move(job)) {}

    PartContext& context() { return context_; }
    const FieldJob& job() const { return job_; }
    // Errors: those of plan_job().
    Result<const kernels::JobPlan*> plan();
    // The policies of the tuning tables. REQUIRES: plan() succeeded.
    const tuning::JobChoice& choice(TuningBackend backend) const {
        return backend == TuningBackend::Cpu ? cpu_choice_ : cuda_choice_;
    }
    // The inputs, in memory of the host. Errors: those of plan_job(); OutOfMemory.
    Result<Span<const kernels::InputView>> inputs();
    const std::vector<Bytes>& input_bytes() const { return bytes_; }
    // Compares a result with the reference, which is computed first. Errors: Internal (the first array that
    // differs); those of run_job().
    Result<void> expect_same(const kernels::RunReport& report,
                             const std::vector<std::vector<std::byte>>& arrays);
    // Memory of inputs, reference and one result together, in bytes.
    std::uint64_t host_bytes();

  private:
    PartContext& context_;
    const FieldJob job_;
    std::unique_ptr<kernels::JobPlan> plan_;
    tuning::JobChoice cpu_choice_, cuda_choice_;
    std::vector<Bytes> bytes_;
    std::vector<kernels::InputView> views_;
    std::unique_ptr<HostOutputs> reference_;
    std::vector<std::uint64_t> reference_columns_;
};

// `threads`: of the pool, the caller included. Name and axes are the job's; callers that vary the threads
// append to both.
Case cpu_case(const std::shared_ptr<JobSetup>& setup, unsigned threads);
// Kernels alone: input and output are in the GPU's memory. REQUIRES: context.gpu. `policies`: in place of
// those of the tuning tables.
Case gpu_case(const std::shared_ptr<JobSetup>& setup,
              std::shared_ptr<const cuda::Policies> policies = nullptr);
// As a job of the daemon with data in memory of the host: copies the input, computes, copies the result back.
// REQUIRES: context.gpu.
Case copied_case(const std::shared_ptr<JobSetup>& setup);

// Adds cases of the job on all present backends, or records why it cannot run here.
void add_job_cases(PartContext& context, CaseList& cases, FieldJob job);

}  // namespace tegu::field
