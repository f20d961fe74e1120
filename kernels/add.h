// SPDX-License-Identifier: Apache-2.0
// add: declared, its kernels follow.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_add(const Job& job, const AddParams& params);
Result<RunReport> run_add(const Job& job, const AddParams& params, Span<const InputView> inputs,
                          Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
