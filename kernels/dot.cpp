// SPDX-License-Identifier: Apache-2.0
#include "kernels/dot.h"

namespace tegu::kernels {

Result<JobPlan> plan_dot(const Job&, const DotParams&) {
    return field_error(Status::Unsupported, "operation", "reduce, topk, entropy_map", "dot has no kernels yet");
}

Result<RunReport> run_dot(const Job&, const DotParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*, const StopToken&) {
    return make_error(Status::Unsupported, "dot has no kernels yet");
}

}  // namespace tegu::kernels
