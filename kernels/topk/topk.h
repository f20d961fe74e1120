// SPDX-License-Identifier: Apache-2.0
// topk: the k largest or smallest elements of a whole array or of each of its rows, with their indices, best
// first, stable. docs/numerics.md fixes the order; kernels/topk/cpu/select.h has the methods, which give the
// same entries and differ in what they read.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

// Outputs: values and i64 indices, k a row; with `distinct` also how many of the k are filled, and -1 for
// indices that are not.
Result<JobPlan> plan_topk(const Job& job, const TopkParams& params, const CpuPolicies& policies);
Result<RunReport> run_topk(const Job& job, const TopkParams& params, Span<const InputView> inputs,
                           Span<const OutputView> outputs, const CpuContext& context, const StopToken& stop);

}  // namespace tegu::kernels
