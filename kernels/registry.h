// SPDX-License-Identifier: Apache-2.0
// The entry points of every operation in TEGU_OPERATIONS of base/operations.h. kernels/<stem>/<stem>.cpp
// defines plan_<stem>() and run_<stem>(), kernels/<stem>/cuda/run.cpp defines cuda::run_<stem>(). plan_job()
// and run_job() of both backends call them.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

// As plan_job() and run_job(), which check the shape before the call.
#define TEGU_X(number, Name, stem, input_count, sentence)                                                 \
    Result<JobPlan> plan_##stem(const Job& job, const Name##Params& params, const CpuPolicies& policies); \
    Result<RunReport> run_##stem(const Job& job, const Name##Params& params, const JobPlan& plan,         \
                                 Span<const InputView> inputs, Span<const OutputView> outputs,            \
                                 const CpuContext& context, const StopToken& stop);
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels

namespace tegu::cuda {

struct Context;
struct JobRun;

// As cuda::run_job(); inputs are aligned for their type.
#define TEGU_X(number, Name, stem, input_count, sentence)                                \
    Result<kernels::RunReport> run_##stem(const JobRun& run, const Name##Params& params, \
                                          const Context& context);
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

}  // namespace tegu::cuda
