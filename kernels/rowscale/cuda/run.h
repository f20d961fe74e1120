// SPDX-License-Identifier: Apache-2.0
// rowscale on a GPU: kernels/rowscale/rowscale.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_rowscale(const Job& job, const RowscaleParams& params,
                                        Span<const kernels::InputView> inputs,
                                        Span<const kernels::OutputView> outputs, const Context& context,
                                        const kernels::StopToken& stop);

}  // namespace tegu::cuda
