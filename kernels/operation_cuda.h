// SPDX-License-Identifier: Apache-2.0
// The door to the GPU backend: the jobs of kernels/operation.h, with the same bits, on a stream. Each
// operation <stem> has
//   <stem>.h       what its launches do, take and need (C++14, raw pointers; no allocation, no
//                  synchronisation)
//   <stem>.cuh     device code by scope, where it has parts that others use
//   <stem>.cu      the kernels and their launches
//   <stem>_run.cpp run_<stem>(): workspace, launches, stop tokens, and the last step on the host
#pragma once

#include "kernels/execution/cuda/context.h"
#include "kernels/operation.h"

// X(Name, stem): the operations of base/job.h that this backend has.
#define TEGU_CUDA_OPERATIONS(X) \
    X(Add, add)                 \
    X(Dot, dot)                 \
    X(Entropy, entropy)         \
    X(EntropyMap, entropy_map)  \
    X(Fused, fused)             \
    X(Histogram, histogram)     \
    X(Quantile, quantile)       \
    X(Reduce, reduce)           \
    X(Rowscale, rowscale)       \
    X(Topk, topk)

namespace tegu::cuda {

// Whether this backend computes the job; what it cannot, the CPU backend does.
bool can_run(const Job& job);

// Runs a planned job. The views hold addresses that kernels on context.stream may touch; the host touches
// none of them. Returns when the outputs are complete. The stop token is looked at between launches. Resets
// the workspace when done.
// Errors: those of kernels::run_job; OutOfMemory: the workspace cannot grow, and a job in place has written
//         nothing; DeviceLost: the process
// cannot use the device any more; Internal: CUDA refused a call.
// REQUIRES: kernels::plan_job(job) succeeded, can_run(job), and views are valid for it. Blocking; the thread
//           of the context.
Result<kernels::RunReport> run_job(const Job& job, Span<const kernels::InputView> inputs,
                                   Span<const kernels::OutputView> outputs, const Context& context,
                                   const kernels::StopToken& stop);

// What every report of this backend begins with: "cuda sm_87 ..."; the operation adds its launch policy.
kernels::RunReport cuda_report(const Context& context);

}  // namespace tegu::cuda
