// SPDX-License-Identifier: Apache-2.0
// quantile: exact quantiles of a whole array or of each of its rows, as numpy defines them (docs/numerics.md,
// "Quantiles"). kernels/quantile/cpu/select.h finds the order statistics; here lies what stands between two
// of them.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

// Output: q.size() quantiles a row, of f64 for linear and midpoint, else of the type of the elements.
Result<JobPlan> plan_quantile(const Job& job, const QuantileParams& params, const CpuPolicies& policies);
Result<RunReport> run_quantile(const Job& job, const QuantileParams& params, Span<const InputView> inputs,
                               Span<const OutputView> outputs, const CpuContext& context,
                               const StopToken& stop);

}  // namespace tegu::kernels
