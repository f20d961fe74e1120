// SPDX-License-Identifier: Apache-2.0
// fused on a GPU: kernels/fused/fused.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_fused(const Job& job, const FusedParams& params,
                                     Span<const kernels::InputView> inputs,
                                     Span<const kernels::OutputView> outputs, const Context& context,
                                     const kernels::StopToken& stop);

}  // namespace tegu::cuda
