// SPDX-License-Identifier: Apache-2.0
// quantile on a GPU: kernels/quantile/quantile.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_quantile(const Job& job, const QuantileParams& params,
                                        Span<const kernels::InputView> inputs,
                                        Span<const kernels::OutputView> outputs, const Context& context,
                                        const kernels::StopToken& stop);

}  // namespace tegu::cuda
