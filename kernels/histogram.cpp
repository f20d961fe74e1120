// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram.h"

namespace tegu::kernels {

Result<JobPlan> plan_histogram(const Job&, const HistogramParams&) {
    return field_error(Status::Unsupported, "operation", "reduce, topk, entropy_map", "histogram has no kernels yet");
}

Result<RunReport> run_histogram(const Job&, const HistogramParams&, Span<const InputView>, Span<const OutputView>, ThreadPool*, const StopToken&) {
    return make_error(Status::Unsupported, "histogram has no kernels yet");
}

}  // namespace tegu::kernels
