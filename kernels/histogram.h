// SPDX-License-Identifier: Apache-2.0
// histogram: declared, its kernels follow.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_histogram(const Job& job, const HistogramParams& params);
Result<RunReport> run_histogram(const Job& job, const HistogramParams& params, Span<const InputView> inputs,
                                Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
