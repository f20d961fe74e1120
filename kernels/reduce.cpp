// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce.h"

namespace tegu::kernels {

Result<JobPlan> plan_reduce(const Job&, const ReduceParams&) { return make_error(Status::Unsupported, "reduce"); }
Result<RunReport> run_reduce(const Job&, const ReduceParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*,
                         const StopToken&) {
    return make_error(Status::Unsupported, "reduce");
}

}  // namespace tegu::kernels
