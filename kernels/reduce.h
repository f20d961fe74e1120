// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_reduce(const Job& job, const ReduceParams& params);
Result<RunReport> run_reduce(const Job& job, const ReduceParams& params, Span<const InputView> inputs,
                         Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
