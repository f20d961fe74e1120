// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantile.h"

namespace tegu::kernels {

Result<JobPlan> plan_quantile(const Job&, const QuantileParams&) {
    return field_error(Status::Unsupported, "operation", "reduce, topk, entropy_map", "quantile has no kernels yet");
}

Result<RunReport> run_quantile(const Job&, const QuantileParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*, const StopToken&) {
    return make_error(Status::Unsupported, "quantile has no kernels yet");
}

}  // namespace tegu::kernels
