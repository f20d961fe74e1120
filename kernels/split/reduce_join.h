// SPDX-License-Identifier: Apache-2.0
// Joins the statistics of runs of whole chunks into those of the whole segment. Each run is a subtree of the
// canonical tree. The statistics of a reply are a sufficient state for all statistics except l2, var and std.
#pragma once

#include <optional>

#include "kernels/operation.h"

namespace tegu::split {

// The set that each run must compute, so that `params` follow from it. None: not possible.
std::optional<ReduceParams> states_of(const ReduceParams& params, ElementType type);

struct StateOutputs {
    std::uint64_t elements;  // a power of two of chunks, the same for all runs; the last may have fewer
    Span<const kernels::OutputView> outputs;  // of a job with states_of()
};
// Writes the outputs of the whole job; the runs are its segment, in order. Errors: Overflow, as for the whole
// job. REQUIRES: the runs computed the set that states_of() gives.
Result<void> join_states(const Job& job, Span<const StateOutputs> runs,
                         Span<const kernels::OutputView> outputs);

}  // namespace tegu::split
