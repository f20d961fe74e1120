// SPDX-License-Identifier: Apache-2.0
#include "kernels/fused.h"

namespace tegu::kernels {

Result<JobPlan> plan_fused(const Job&, const FusedParams&) {
    return field_error(Status::Unsupported, "operation", "reduce, topk, entropy_map", "fused has no kernels yet");
}

Result<RunReport> run_fused(const Job&, const FusedParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*, const StopToken&) {
    return make_error(Status::Unsupported, "fused has no kernels yet");
}

}  // namespace tegu::kernels
