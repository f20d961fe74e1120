// SPDX-License-Identifier: Apache-2.0
#include "kernels/entropy.h"

namespace tegu::kernels {

Result<JobPlan> plan_entropy(const Job&, const EntropyParams&) {
    return field_error(Status::Unsupported, "operation", "reduce, topk, entropy_map", "entropy has no kernels yet");
}

Result<RunReport> run_entropy(const Job&, const EntropyParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*, const StopToken&) {
    return make_error(Status::Unsupported, "entropy has no kernels yet");
}

}  // namespace tegu::kernels
