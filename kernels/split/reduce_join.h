// SPDX-License-Identifier: Apache-2.0
// From the statistics of runs of whole chunks, each a subtree of the canonical tree, to those of the whole
// segment: what a reply says is enough of a state for all statistics but l2, var and std.
#pragma once

#include <optional>

#include "kernels/operation.h"

namespace tegu::device {

constexpr std::uint64_t kReduceUnit = 16 * 1024;  // elements of a chunk

// The set to ask of each run, such that `params` can be found from them. None: it cannot.
std::optional<ReduceParams> states_of(const ReduceParams& params, ElementType type);

struct StateOutputs {
    std::uint64_t elements;  // of the run: the same power of two of chunks for all, the last one up to that
    Span<const kernels::OutputView> outputs;  // of a job with states_of()
};
// Writes the outputs of the whole job, whose segment the runs are in order. Errors: Overflow, as of the
// whole job.
// REQUIRES: states_of() gives the set that the runs were asked for.
Result<void> join_states(const Job& job, Span<const StateOutputs> runs,
                         Span<const kernels::OutputView> outputs);

}  // namespace tegu::device
