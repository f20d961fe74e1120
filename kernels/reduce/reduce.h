// SPDX-License-Identifier: Apache-2.0
// reduce: any set of statistics of a whole array or of each of its rows, in one pass over the data.
// docs/numerics.md fixes every result to the bit. kernels/statistics/cpu/chunk.h computes chunks; reduce.cpp
// cuts the work, kernels/statistics/finish.h ends it.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

// Outputs: one array per statistic of the set, in the order of their numbers; a row of results for the whole,
// or one per row.
Result<JobPlan> plan_reduce(const Job& job, const ReduceParams& params, const CpuPolicies&);
Result<RunReport> run_reduce(const Job& job, const ReduceParams& params, Span<const InputView> inputs,
                             Span<const OutputView> outputs, const CpuContext& context,
                             const StopToken& stop);

}  // namespace tegu::kernels
