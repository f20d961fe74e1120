// SPDX-License-Identifier: Apache-2.0
// A quantile job on the GPU: its state, and the ways to run it. run.cpp chooses the way; run_<way>.cpp has
// it. Kernels write the results, except those that count: there the host finishes what they found.
#pragma once

#include <vector>

#include "kernels/execution/cuda/pace.h"
#include "kernels/operation_cuda.h"
#include "kernels/quantile/cuda/quantile.h"
#include "kernels/quantile/finish.h"
#include "kernels/selection/cuda/run.h"

namespace tegu::cuda {

struct QuantileRun {
    // `run`, `params` and `context` outlive it. REQUIRES: the job has segments.
    QuantileRun(const JobRun& run, const QuantileParams& params, const Context& context);

    // Returns whether a segment with so many NaN has quantiles that are numbers.
    bool has_statistics(std::uint64_t nans) const { return nans < in.n && (nans == 0 || params.skip_nans); }
    // REQUIRES: has_statistics(nans).
    std::uint64_t rank_of(double q, std::uint64_t nans) const;
    std::uint64_t next_rank(std::uint64_t rank) const { return rank + 1 < in.n ? rank + 1 : in.n - 1; }
    // Writes the results of one segment. pairs: [q.size()].
    void finish(std::uint64_t nans, const kernels::quantile::Pair* pairs, std::byte* results) const;
    // Writes the results of segments from `first` on to the output, and waits.
    Result<void> write(const std::vector<std::byte>& results, std::uint64_t first) const;
    // Describes the output of all segments to kernels.
    Result<void> prepare(QuantileOutput* output) const;
    // Of launches that count.
    Pieces pieces() { return pace.pieces(config.policy.piece_elements * config.limits.multiprocessors); }

    const QuantileParams& params;
    const ElementType type;
    const KeySegments in;
    std::byte* const out;
    const std::size_t result_bytes;  // of a segment
    const Context& context;
    const QuantileConfig config;
    const kernels::StopToken& stop;
    Pace pace;

    const char* method = "";
    unsigned passes = 0;  // of the count; 0: not counted
};

// Returns whether blocks narrow long segments.
bool narrows(const QuantileRun& run);

// The ways. Each sets run->method.
Result<void> find_by_blocks(QuantileRun* run);
// Counts where the search fails.
Result<void> find_by_bracket(QuantileRun* run);
Result<void> find_by_counts(QuantileRun* run);

}  // namespace tegu::cuda
