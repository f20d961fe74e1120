// SPDX-License-Identifier: Apache-2.0
// rowscale: each row, or the whole array as one, divided by its largest magnitude, into another array or in
// place, with the scales. docs/numerics.md fixes every result; kernels/rowscale/cpu/rows.h scales rows and
// parts of rows, rowscale.cpp cuts the work.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

// Outputs: Values, rows x cols, and Scales, one a row or 1 x 1 for the whole, both of the type of the input:
// f16, f32 or f64.
Result<JobPlan> plan_rowscale(const Job& job, const RowscaleParams& params, const CpuPolicies&);
Result<RunReport> run_rowscale(const Job& job, const RowscaleParams& params, Span<const InputView> inputs,
                               Span<const OutputView> outputs, const CpuContext& context,
                               const StopToken& stop);

}  // namespace tegu::kernels
