// SPDX-License-Identifier: Apache-2.0
#include "kernels/entropy_map.h"

namespace tegu::kernels {

Result<JobPlan> plan_entropy_map(const Job&, const EntropyMapParams&) { return make_error(Status::Unsupported, "entropy_map"); }
Result<RunReport> run_entropy_map(const Job&, const EntropyMapParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*,
                         const StopToken&) {
    return make_error(Status::Unsupported, "entropy_map");
}

}  // namespace tegu::kernels
