// SPDX-License-Identifier: Apache-2.0
#include "kernels/add.h"

namespace tegu::kernels {

Result<JobPlan> plan_add(const Job&, const AddParams&) {
    return field_error(Status::Unsupported, "operation", "reduce, topk, entropy_map", "add has no kernels yet");
}

Result<RunReport> run_add(const Job&, const AddParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*, const StopToken&) {
    return make_error(Status::Unsupported, "add has no kernels yet");
}

}  // namespace tegu::kernels
