// SPDX-License-Identifier: Apache-2.0
// dot: declared, its kernels follow.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_dot(const Job& job, const DotParams& params);
Result<RunReport> run_dot(const Job& job, const DotParams& params, Span<const InputView> inputs,
                          Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
