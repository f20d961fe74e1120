// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_topk(const Job& job, const TopkParams& params);
Result<RunReport> run_topk(const Job& job, const TopkParams& params, Span<const InputView> inputs,
                         Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
