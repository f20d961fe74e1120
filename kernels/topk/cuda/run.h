// SPDX-License-Identifier: Apache-2.0
// topk on a GPU: kernels/topk/topk.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_topk(const Job& job, const TopkParams& params,
                                    Span<const kernels::InputView> inputs,
                                    Span<const kernels::OutputView> outputs, const Context& context,
                                    const kernels::StopToken& stop);

}  // namespace tegu::cuda
