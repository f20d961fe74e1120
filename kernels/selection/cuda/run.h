// SPDX-License-Identifier: Apache-2.0
// Shared by the host sides of selections: a job's segments, and ranks in samples.
#pragma once

#include "base/job.h"
#include "kernels/execution/cuda/context.h"
#include "kernels/execution/cuda/job_segments.h"
#include "kernels/selection/cuda/cut_minima.h"

namespace tegu::cuda {

// The whole array as one segment, or each row. `largest`: the largest elements have the smallest keys.
// REQUIRES: the job has elements.
KeySegments segments_of(const Job& job, const kernels::InputView& input, bool largest);
// Segments [first, first + count).
KeySegments part_of(const KeySegments& all, std::uint64_t first, std::uint64_t count);

// The rank in a sorted sample of `sample` pairs that is almost surely behind the best k of n: four standard
// deviations behind the expected rank. May exceed the sample.
std::uint64_t safe_rank(std::uint64_t k, std::uint64_t n, std::uint64_t sample);
// The approximate maximum of pairs, of n, before the pair of this rank in the sample: six standard
// deviations more than expected.
std::uint64_t max_before(std::uint64_t rank, std::uint64_t n, std::uint64_t sample);

// The sample in groups for a cut that is almost surely behind the best k of n: four standard deviations
// behind the expected rank. Larger for more multiprocessors: their loads overlap. REQUIRES: k <= n; groups is
// a multiple of 32, at most n.
GroupedSample choose_groups(std::uint64_t k, std::uint64_t n, unsigned groups, const SelectionPolicy& policy,
                            const DeviceLimits& limits);
// As above, for a cut in such a sample.
std::uint64_t max_before(const GroupedSample& sample, std::uint64_t n);

}  // namespace tegu::cuda
