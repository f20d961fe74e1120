// SPDX-License-Identifier: Apache-2.0
// entropy: declared, its kernels follow.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_entropy(const Job& job, const EntropyParams& params);
Result<RunReport> run_entropy(const Job& job, const EntropyParams& params, Span<const InputView> inputs,
                              Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
