// SPDX-License-Identifier: Apache-2.0
#include "kernels/rowscale.h"

namespace tegu::kernels {

Result<JobPlan> plan_rowscale(const Job&, const RowscaleParams&) {
    return field_error(Status::Unsupported, "operation", "reduce, topk, entropy_map", "rowscale has no kernels yet");
}

Result<RunReport> run_rowscale(const Job&, const RowscaleParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*, const StopToken&) {
    return make_error(Status::Unsupported, "rowscale has no kernels yet");
}

}  // namespace tegu::kernels
