// SPDX-License-Identifier: Apache-2.0
// topk on a GPU: kernels/topk.h fixes what it is.
#pragma once

#include "kernels/cuda/operation.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_topk(const Job& job, const TopkParams& params, Span<const kernels::InputView> inputs,
                                    Span<const kernels::OutputView> outputs, const Context& context,
                                    const kernels::StopToken& stop);

}  // namespace tegu::cuda
