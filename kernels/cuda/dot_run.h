// SPDX-License-Identifier: Apache-2.0
// dot on a GPU: kernels/dot.h fixes what it is.
#pragma once

#include "kernels/cuda/operation.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_dot(const Job& job, const DotParams& params, Span<const kernels::InputView> inputs,
                                   Span<const kernels::OutputView> outputs, const Context& context,
                                   const kernels::StopToken& stop);

}  // namespace tegu::cuda
