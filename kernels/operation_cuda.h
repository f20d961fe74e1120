// SPDX-License-Identifier: Apache-2.0
// The GPU backend: the jobs of kernels/operation.h on a stream, with the same bits. kernels/<stem>/cuda/ has
// the launches of each operation (<stem>.h, C++14: no allocation, no synchronisation). run.cpp there makes
// the launches.
#pragma once

#include "kernels/execution/cuda/context.h"
#include "kernels/operation.h"

namespace tegu::cuda {

// A planned job with its arrays. Nothing is owned.
struct JobRun {
    const Job& job;
    Span<const kernels::JobPlan> parts;  // of the job's plan; empty but for a fused job
    Span<const kernels::InputView> inputs;
    Span<const kernels::OutputView> outputs;
    const kernels::StopToken& stop;
};

// Runs a planned job and returns when the outputs are complete. The views hold addresses that kernels on
// context.stream may touch; the host touches none of them. Polls the stop token between launches. Resets the
// workspace when done. Errors: those of kernels::run_job; OutOfMemory: the workspace cannot grow, and a job
// in place has written nothing; DeviceLost: the process cannot use the device any more; Internal: CUDA
// refused a call. REQUIRES: kernels::plan_job(run.job) succeeded and gave run.parts; the views are valid for
// it. Blocking; the thread of the context.
Result<kernels::RunReport> run_job(const JobRun& run, const Context& context);
// As run_job(), for a part of a job that run_job() runs: the workspace stays. REQUIRES: each input is aligned
// for its type.
Result<kernels::RunReport> run_part(const JobRun& run, const Context& context);

// Starts a report of this backend: "cuda sm_87". The operation adds its launch policy.
kernels::RunReport cuda_report(const Context& context);
// Waits for the launches of a job, then starts its report. `launched`: the error of the launches.
Result<kernels::RunReport> report_when_done(Result<void> launched, const Context& context);

}  // namespace tegu::cuda
