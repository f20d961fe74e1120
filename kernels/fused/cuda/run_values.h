// SPDX-License-Identifier: Apache-2.0
// The parts of a fused job that share the counts of byte values: statistics, histogram and entropy of a whole
// array.
#pragma once

#include "kernels/operation_cuda.h"

namespace tegu::cuda {

// A part with its own outputs and policies. Nothing is owned.
struct FusedOutputs {
    const FusedPart* part;
    Span<const kernels::OutputView> outputs;
    const Policies* policies;
};

// Whether one count of the values is less work than the parts alone: elements of 8 bits, one segment of at
// least policy.lane_elements, two or more such parts.
bool shares_values(const Job& job, Span<const FusedOutputs> parts, const CountPolicy& policy);

// Counts the values once and makes the results of the parts from the counts. REQUIRES: shares_values(); each
// part is a Reduce, Histogram or Entropy that is_swept(). Errors: those of the parts, in the order of the CPU
// backend, with the name of the part.
Result<void> run_on_values(const JobRun& run, Span<const FusedOutputs> parts, const Context& context);

}  // namespace tegu::cuda
