// SPDX-License-Identifier: Apache-2.0
// The parts of a fused job that share reads of a long array of elements of 16 bits or more: statistics,
// histogram and entropy.
#pragma once

#include "kernels/fused/cuda/run_values.h"

namespace tegu::cuda {

// The parts that run_on_counts() has made; a sum of these bits.
enum SharedPart : unsigned { kSharedReduce = 1, kSharedHistogram = 2, kSharedEntropy = 4 };

// Makes the results of the parts that gain by sharing. Statistics find the range for counts that need one, or
// count beside if the range is given. Bins and levels with the same edges are counted once. Other parts are
// left to the caller. REQUIRES: each part is a Reduce, Histogram or Entropy that is_swept(). Errors: the one
// that the CPU backend finds first among all parts, with the name of its part.
Result<unsigned> run_on_counts(const JobRun& run, Span<const FusedOutputs> parts, const Context& context);

}  // namespace tegu::cuda
