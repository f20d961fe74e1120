// SPDX-License-Identifier: Apache-2.0
// reduce on a GPU: kernels/reduce/reduce.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_reduce(const Job& job, const ReduceParams& params,
                                      Span<const kernels::InputView> inputs,
                                      Span<const kernels::OutputView> outputs, const Context& context,
                                      const kernels::StopToken& stop);

}  // namespace tegu::cuda
