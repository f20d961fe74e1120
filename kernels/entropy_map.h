// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_entropy_map(const Job& job, const EntropyMapParams& params);
Result<RunReport> run_entropy_map(const Job& job, const EntropyMapParams& params, Span<const InputView> inputs,
                         Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
