// SPDX-License-Identifier: Apache-2.0
// fused: declared, its kernels follow.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_fused(const Job& job, const FusedParams& params);
Result<RunReport> run_fused(const Job& job, const FusedParams& params, Span<const InputView> inputs,
                            Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
