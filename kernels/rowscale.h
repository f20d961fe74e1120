// SPDX-License-Identifier: Apache-2.0
// rowscale: declared, its kernels follow.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_rowscale(const Job& job, const RowscaleParams& params);
Result<RunReport> run_rowscale(const Job& job, const RowscaleParams& params, Span<const InputView> inputs,
                               Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
