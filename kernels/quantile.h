// SPDX-License-Identifier: Apache-2.0
// quantile: declared, its kernels follow.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_quantile(const Job& job, const QuantileParams& params);
Result<RunReport> run_quantile(const Job& job, const QuantileParams& params, Span<const InputView> inputs,
                               Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
