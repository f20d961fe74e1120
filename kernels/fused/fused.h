// SPDX-License-Identifier: Apache-2.0
// fused: several operations on one array in one job, each with the bits that it has alone. Statistics,
// histogram and entropy share their reads of the data; top-k and quantiles follow with passes of their own.
// The policy of the report says how many passes there were.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

// Outputs: those of the parts, in the order of the parts.
Result<JobPlan> plan_fused(const Job& job, const FusedParams& params, const CpuPolicies& policies);
Result<RunReport> run_fused(const Job& job, const FusedParams& params, Span<const InputView> inputs,
                            Span<const OutputView> outputs, const CpuContext& context, const StopToken& stop);

}  // namespace tegu::kernels
