// SPDX-License-Identifier: Apache-2.0
// dot on a GPU: kernels/dot/dot.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_dot(const Job& job, const DotParams& params,
                                   Span<const kernels::InputView> inputs,
                                   Span<const kernels::OutputView> outputs, const Context& context,
                                   const kernels::StopToken& stop);

}  // namespace tegu::cuda
