// SPDX-License-Identifier: Apache-2.0
// entropy_map on a GPU: kernels/entropy_map/entropy_map.h fixes what it is.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

Result<kernels::RunReport> run_entropy_map(const Job& job, const EntropyMapParams& params,
                                           Span<const kernels::InputView> inputs,
                                           Span<const kernels::OutputView> outputs, const Context& context,
                                           const kernels::StopToken& stop);

}  // namespace tegu::cuda
