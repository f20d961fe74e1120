// SPDX-License-Identifier: Apache-2.0
// Sorts the bins of elements into buckets, for more bins than shared memory can count.
#include "kernels/counting/cuda/partition.cuh"

#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/histogram/cuda/bins.cuh"
#include "kernels/histogram/cuda/partition.h"

namespace tegu {
namespace cuda {
namespace {

constexpr KernelTable<PartitionKernel<BinRule>, 4> kPartitionBins = {
    "partition_keys",
    "reads n elements, writes 2 B an element",
    {variant(partition_keys<BinMapper<Half>, GuessedBins<Half, true>>, "exact", "f16"),
     variant(partition_keys<BinMapper<float>, GuessedBins<float, true>>, "exact", "f32"),
     variant(partition_keys<BinMapper<Half>, RefinedBins<Half>>, "many bins", "f16"),
     variant(partition_keys<BinMapper<float>, RefinedBins<float>>, "many bins", "f32")}};

}  // namespace

LaunchStatus launch_partition_bins(ElementType type, FastBins with, const PartitionTask& task,
                                   const BinRule& rule, const DeviceLimits& limits, Stream stream) {
    const unsigned index = (with == FastBins::Refined ? 2 : 0) + float_index(type);
    return launch_partition(kPartitionBins[index], task, rule, limits, stream);
}

void list_histogram_partition_kernels(KernelLister& to) {
    to.add(1, listed(kPartitionBins, BlockSize{kPartitionThreads, partition_shared_bytes(64)}));
}

}  // namespace cuda
}  // namespace tegu
