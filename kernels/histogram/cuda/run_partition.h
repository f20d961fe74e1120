// SPDX-License-Identifier: Apache-2.0
// The host's part of counting bins in buckets: the memory of a piece, and the launches of a segment.
#pragma once

#include "kernels/counting/cuda/count_launches.h"
#include "kernels/histogram/cuda/partition.h"

namespace tegu::cuda {

class BinPartition {
  public:
    // Takes the workspace of a piece. REQUIRES: `bits` of partition_bits(). Errors: OutOfMemory.
    Result<void> prepare(const PartitionJob& job, unsigned bits, const Context& context);
    // Counts segment `segment` of the input; writes its counts and edges. Errors: those of the pace.
    Result<void> count(const Segments& input, std::uint64_t segment, const BinRule& rule, FastBins with,
                       const CountTarget& target, const Context& context, Pace* pace) const;

  private:
    PartitionJob job_{};
    unsigned bits_ = 0;
    std::uint32_t buckets_ = 0;
    std::uint64_t piece_ = 1, step_ = 1;  // tiles of two launches; between two polls of the stop token
    std::uint16_t* keys_ = nullptr;
    std::uint16_t* starts_ = nullptr;
    std::uint64_t* sizes_ = nullptr;
};

}  // namespace tegu::cuda
