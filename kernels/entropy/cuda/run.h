// SPDX-License-Identifier: Apache-2.0
// entropy on a GPU: kernels/entropy/entropy.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_entropy(const Job& job, const EntropyParams& params,
                                       Span<const kernels::InputView> inputs,
                                       Span<const kernels::OutputView> outputs, const Context& context,
                                       const kernels::StopToken& stop);

}  // namespace tegu::cuda
