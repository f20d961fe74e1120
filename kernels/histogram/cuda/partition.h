// SPDX-License-Identifier: Apache-2.0
// Counts of more bins than shared memory holds counters for.
#pragma once

#include "kernels/counting/cuda/count.h"
#include "kernels/counting/cuda/partition.h"
#include "kernels/histogram/cuda/histogram.h"

namespace tegu {
namespace cuda {

// Sorts the bins of a piece into buckets, and does what belongs to the first piece. One launch. REQUIRES: f16
// or f32; `with` holds for the rule, and is Exact or Refined.
LaunchStatus launch_partition_bins(ElementType type, FastBins with, const PartitionTask& task,
                                   const BinRule& rule, const DeviceLimits& limits, Stream stream);

struct PartitionJob {
    ElementType type;
    Segments input;
    std::uint32_t bins;
};
// The logarithm of the slots of a bucket. 0: the counters fit shared memory, the elements are too few, or the
// device has too little memory.
unsigned partition_bits(const PartitionJob& job, const CountPolicy& policy, const DeviceLimits& limits);

}  // namespace cuda
}  // namespace tegu
