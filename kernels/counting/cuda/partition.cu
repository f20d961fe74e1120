// SPDX-License-Identifier: Apache-2.0
// Counts the keys of buckets.
#include "kernels/counting/cuda/partition.cuh"

#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kGroupLanes = 8;  // that read the keys of a tile together
constexpr unsigned kGroupPacks = 4;  // that each of them loads at once

// count_buckets: how often each key occurs.
// in:    keys, starts, sizes of partition_keys  out: counts [slots] += u64
// grid:  x: dealt out by the sizes of the buckets       block: kBucketThreads
// shared: 4 B a slot of a bucket                result valid in: counts, after the launch
// moves: reads 2 B an element, adds 8 B a slot and block       order: any
// why:   buckets of any size keep all blocks busy: a large one has many blocks
TEGU_KERNEL TEGU_BOUNDS(kBucketThreads) count_buckets(PartitionTask task) {
    TEGU_DYNAMIC_SHARED(memory);
    TEGU_SHARED(BucketShare, own);
    std::uint32_t* const counters = reinterpret_cast<std::uint32_t*>(memory);
    if (warp_index() == 0) {
        const BucketShare share = warp_bucket_share(task);
        if (lane_index() == 0) own = share;
    }
    const std::uint32_t slots = 1u << task.bits;
    for (std::uint32_t i = thread_index(); i < slots; i += kBucketThreads) counters[i] = 0;
    block_barrier();
    if (own.shares == 0) return;
    using KeyPack = Pack<std::uint32_t, 4>;
    const unsigned lane = thread_index() % kGroupLanes, group = thread_index() / kGroupLanes;
    const std::uint64_t step = std::uint64_t{own.shares} * (kBucketThreads / kGroupLanes);
    for (std::uint64_t tile = own.share + std::uint64_t{group} * own.shares; tile < task.tiles;
         tile += step) {
        const std::uint16_t* const starts = task.starts + tile * (task.buckets + 1) + own.bucket;
        const std::uint32_t end = starts[1];
        const KeyPack* const keys = reinterpret_cast<const KeyPack*>(task.keys + tile * task.capacity);
        for (std::uint32_t at = starts[0] + lane; at < end; at += kGroupLanes * kGroupPacks) {
            KeyPack pack[kGroupPacks];
            TEGU_UNROLL
            for (unsigned i = 0; i < kGroupPacks; ++i)
                if (at + i * kGroupLanes < end) pack[i] = load_last(keys + at + i * kGroupLanes);
            TEGU_UNROLL
            for (unsigned i = 0; i < kGroupPacks; ++i) {
                if (at + i * kGroupLanes >= end) continue;
                TEGU_UNROLL
                for (unsigned w = 0; w < 4; ++w) {
                    const std::uint32_t low = pack[i].at[w] & 0xffffu, high = pack[i].at[w] >> 16;
                    if (low < slots) atomic_add(counters + low, 1u);
                    if (high < slots) atomic_add(counters + high, 1u);
                }
            }
        }
    }
    block_barrier();
    const std::uint64_t first = std::uint64_t{own.bucket} << task.bits;
    for (std::uint32_t i = thread_index(); i < slots && first + i < task.slots; i += kBucketThreads)
        if (counters[i] != 0) atomic_add(task.counts + first + i, std::uint64_t{counters[i]});
}

constexpr KernelTable<decltype(&count_buckets), 1> kCountBuckets = {
    "count_buckets", "reads 2 B an element, adds 8 B a counter and block", {{count_buckets}}};

}  // namespace

LaunchStatus launch_count_buckets(const PartitionTask& task, const DeviceLimits& limits, Stream stream) {
    const std::size_t shared = std::size_t{4} << task.bits;
    const std::size_t all =
        limits.shared_bytes_per_block > (64 << 10) ? limits.shared_bytes_per_block : 64 << 10;
    std::size_t resident = all / (shared + reserved_shared_bytes(limits.compute_capability));
    const std::size_t by_threads = limits.threads_per_multiprocessor / kBucketThreads;
    resident = resident < by_threads ? resident : by_threads;
    const std::size_t blocks = (resident > 0 ? resident : 1) * limits.multiprocessors;
    // Each bucket has a block at least.
    const LaunchShape shape{static_cast<unsigned>(blocks > task.buckets ? blocks : task.buckets), 1,
                            kBucketThreads, shared};
    return launch(kCountBuckets[0], shape, stream, task);
}

void list_counting_partition_kernels(KernelLister& to) {
    to.add(1, listed(kCountBuckets, BlockSize{kBucketThreads, std::size_t{4} << 13}));
}

}  // namespace cuda
}  // namespace tegu
