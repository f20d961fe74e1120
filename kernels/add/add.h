// SPDX-License-Identifier: Apache-2.0
// add: the sum of two arrays, element by element, into an array of their type, which may be one of them.
// Integers are exact or refused. docs/numerics.md fixes every result; kernels/add/cpu/block.h adds runs of
// neighbours, add.cpp cuts the work.
#pragma once

#include "kernels/operation.h"
#include "kernels/statistics/exact.h"

namespace tegu::kernels {

// Output: Values, rows x cols of the type of the inputs. Both inputs have the job's shape and type, and their
// own row stride.
Result<JobPlan> plan_add(const Job& job, const AddParams& params, const CpuPolicies&);
// An integer sum that does not fit the type: Overflow, field "values"; the message has the first index
// (row-major) and the sum.
Result<RunReport> run_add(const Job& job, const AddParams& params, Span<const InputView> inputs,
                          Span<const OutputView> outputs, const CpuContext& context, const StopToken& stop);

// The error of a sum of integers at `index` that does not fit the type; every backend answers with it.
Error add_overflow(ElementType type, std::uint64_t index, Int128 sum);

}  // namespace tegu::kernels
