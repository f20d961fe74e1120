// SPDX-License-Identifier: Apache-2.0
#include "kernels/topk.h"

namespace tegu::kernels {

Result<JobPlan> plan_topk(const Job&, const TopkParams&) { return make_error(Status::Unsupported, "topk"); }
Result<RunReport> run_topk(const Job&, const TopkParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*,
                         const StopToken&) {
    return make_error(Status::Unsupported, "topk");
}

}  // namespace tegu::kernels
