// SPDX-License-Identifier: Apache-2.0
// histogram on a GPU: kernels/histogram/histogram.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_histogram(const Job& job, const HistogramParams& params,
                                         Span<const kernels::InputView> inputs,
                                         Span<const kernels::OutputView> outputs, const Context& context,
                                         const kernels::StopToken& stop);

}  // namespace tegu::cuda
