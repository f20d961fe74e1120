// SPDX-License-Identifier: Apache-2.0
// dot: the scalar product of two arrays, or of each pair of their rows. Integers are exact, floats follow the
// canonical tree of docs/numerics.md over the products. kernels/dot/cpu/chunk.h computes chunks; dot.cpp cuts
// the work.
#pragma once

#include "kernels/operation.h"

namespace tegu::kernels {

// Output: Dot, one value for the whole or one a row: i64, u64 or f64 for signed, unsigned, float elements. An
// empty one is 0.
Result<JobPlan> plan_dot(const Job& job, const DotParams& params, const CpuPolicies&);
// An integer result that does not fit: Overflow, field "dot"; the message has the value and, by rows, the
// first such row.
Result<RunReport> run_dot(const Job& job, const DotParams& params, Span<const InputView> inputs,
                          Span<const OutputView> outputs, const CpuContext& context, const StopToken& stop);

struct IntegerDot;
// Stores an exact sum as `reply`, I64 or U64. Errors: Overflow, in the words of run_dot but for the row.
Result<void> write_dot(const IntegerDot& dot, ElementType reply, std::byte* out);

}  // namespace tegu::kernels
