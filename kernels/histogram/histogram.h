// SPDX-License-Identifier: Apache-2.0
// histogram: counts of equal bins, as numpy.histogram has them. docs/numerics.md says which element is in
// which bin.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_histogram(const Job& job, const HistogramParams& params, const CpuPolicies&);
Result<RunReport> run_histogram(const Job& job, const HistogramParams& params, Span<const InputView> inputs,
                                Span<const OutputView> outputs, const CpuContext& context,
                                const StopToken& stop);

}  // namespace tegu::kernels
