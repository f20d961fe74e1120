// SPDX-License-Identifier: Apache-2.0
// add on a GPU: kernels/add/add.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_add(const Job& job, const AddParams& params,
                                   Span<const kernels::InputView> inputs,
                                   Span<const kernels::OutputView> outputs, const Context& context,
                                   const kernels::StopToken& stop);

}  // namespace tegu::cuda
