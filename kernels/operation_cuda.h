// SPDX-License-Identifier: Apache-2.0
// The GPU backend: runs the jobs of kernels/operation.h on a stream, with the same bits. kernels/<stem>/cuda/
// has the launch functions of each operation (<stem>.h, C++14: no allocation, no synchronisation), and their
// caller in run.cpp.
#pragma once

#include "kernels/execution/cuda/context.h"
#include "kernels/operation.h"

namespace tegu::cuda {

// Runs a planned job. The views hold addresses that kernels on context.stream may access; the host does not
// access them. Returns when the outputs are complete. Polls the stop token between launches. Resets the
// workspace at the end.
// Errors: those of kernels::run_job.
//         OutOfMemory: the workspace cannot grow, and a job in place has written nothing.
//         DeviceLost: the process cannot use the device any more. Internal: a CUDA call failed.
// REQUIRES: kernels::plan_job(job) succeeded, and the views are valid for it. Blocking; the thread of the
//           context.
Result<kernels::RunReport> run_job(const Job& job, Span<const kernels::InputView> inputs,
                                   Span<const kernels::OutputView> outputs, const Context& context,
                                   const kernels::StopToken& stop);

// The start of every report of this backend: "cuda sm_87"; the operation adds its launch policy.
kernels::RunReport cuda_report(const Context& context);

}  // namespace tegu::cuda
