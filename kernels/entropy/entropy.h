// SPDX-License-Identifier: Apache-2.0
// entropy: Shannon entropy of the levels of an array, or of each of its rows. docs/numerics.md says how
// elements become levels and which number comes out; its bits do not depend on a maths library.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

Result<JobPlan> plan_entropy(const Job& job, const EntropyParams& params, const CpuPolicies&);
Result<RunReport> run_entropy(const Job& job, const EntropyParams& params, Span<const InputView> inputs,
                              Span<const OutputView> outputs, const CpuContext& context,
                              const StopToken& stop);

}  // namespace tegu::kernels
