// SPDX-License-Identifier: Apache-2.0
// Counts keys whose counters do not fit shared memory. One launch sorts the keys of each tile into buckets of
// neighbours; the next one counts a bucket at a time in shared memory. The Mapper is that of columns.cuh.
#pragma once

#include "kernels/counting/cuda/columns.cuh"
#include "kernels/counting/cuda/partition.h"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kPartitionOwn = kPartitionTile / kPartitionThreads;  // elements of a thread and tile
constexpr std::uint32_t kNoPartitionKey = 0xffff;

// The place of a key among those of its tile: sixteen bytes stay together, and equal places of all lanes lie
// in different banks.
TEGU_DEVICE std::uint32_t staged(std::uint32_t place) {
    return place ^ (place >> 5 & 28u) << 1;
}

// Exclusive sum over the lanes; *total: of all.
TEGU_DEVICE std::uint32_t warp_sum_before(std::uint32_t value, std::uint32_t* total) {
    std::uint32_t sum = value;
    TEGU_UNROLL
    for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
        const std::uint32_t before = shuffle_up(sum, delta);
        if (lane_index() >= delta) sum += before;
    }
    *total = exchange_word(sum, kWarpLanes - 1);
    return sum - value;
}

// The shared memory of a block that partitions. Row `buckets` is of elements that do not count.
struct PartitionMemory {
    std::uint32_t*
        ends;  // [buckets + 1][32]: first counters, then where the lane's next key of a bucket goes
    std::uint32_t* first;  // [buckets + 2]: of each bucket's keys, in packs
    std::uint32_t* sizes;  // [buckets]: keys of all tiles of the block
    std::uint16_t* keys;   // [capacity]
    TEGU_DEVICE PartitionMemory(unsigned char* memory, const PartitionTask& task) {
        keys = reinterpret_cast<std::uint16_t*>(memory);
        ends = reinterpret_cast<std::uint32_t*>(keys + task.capacity);
        first = ends + (task.buckets + 1) * kWarpLanes;
        sizes = first + task.buckets + 2;
    }
};

// Turns counters of lanes into places, bucket after bucket, each from a whole pack on. Adds to the sizes of
// the buckets: always the same thread adds to one.
TEGU_DEVICE void block_place_buckets(const PartitionTask& task, const PartitionMemory& memory) {
    block_barrier();
    for (std::uint32_t bucket = warp_index(); bucket <= task.buckets; bucket += block_warps()) {
        std::uint32_t* const own = memory.ends + bucket * kWarpLanes + lane_index();
        std::uint32_t size;
        *own = warp_sum_before(*own, &size);
        if (lane_index() != 0) continue;
        memory.first[bucket] = (size + kPartitionPack - 1) / kPartitionPack;
        if (bucket < task.buckets) memory.sizes[bucket] += size;
    }
    block_barrier();
    if (warp_index() == 0) {
        std::uint32_t before = 0;
        for (std::uint32_t at = 0; at <= task.buckets; at += kWarpLanes) {
            const std::uint32_t bucket = at + lane_index();
            std::uint32_t packs;
            const std::uint32_t place =
                before + warp_sum_before(bucket <= task.buckets ? memory.first[bucket] : 0, &packs);
            if (bucket <= task.buckets) memory.first[bucket] = place;
            before += packs;
        }
    }
    block_barrier();
    for (std::uint32_t bucket = warp_index(); bucket <= task.buckets; bucket += block_warps())
        memory.ends[bucket * kWarpLanes + lane_index()] += memory.first[bucket] * kPartitionPack;
    block_barrier();
}

// The exact key, for the few elements that need it. As a function of its own it takes no registers from the
// others.
template <class Mapper>
TEGU_DEVICE_CALLED std::uint32_t exact_key(const typename Mapper::Rule& rule, typename Mapper::Element x) {
    return Mapper(rule, nullptr).key(x);
}

// Counts the elements of a segment that lie in no pack.
template <class Mapper>
TEGU_DEVICE void count_ends(const PartitionTask& task, const Mapper& mapper) {
    using T = typename Mapper::Element;
    const unsigned own = thread_index();
    if (own >= task.head_count + task.tail_count) return;
    const T x = own < task.head_count ? static_cast<const T*>(task.head)[own]
                                      : static_cast<const T*>(task.tail)[own - task.head_count];
    const std::uint32_t key = mapper.key(x);
    if (key < task.slots) atomic_add(task.counts + key, std::uint64_t{1});
}

// partition_keys: the keys of each tile, in the order of their buckets.
// in:    x [task.packs * 16 / sizeof(Element)] Element
// out:   keys [tiles, capacity] u16: the key within its bucket; starts [tiles, buckets + 1] u16, in
//        packs; sizes [buckets] += u32. The first piece also writes the edges
// grid:  x strides over tiles                  block: kPartitionThreads
// shared: partition_shared_bytes()             result valid in: keys, starts, sizes, after the launch
// moves: reads 16 B a pack, writes 2 B an element      order: any
// why:   atomics of global memory take ten times as long as two bytes of each element, there and back
template <class Mapper, class Fast>
TEGU_KERNEL TEGU_BOUNDS2(kPartitionThreads, 2)
    partition_keys(PartitionTask task, typename Mapper::Rule rule) {
    using T = typename Mapper::Element;
    constexpr unsigned kWidth = 16 / sizeof(T), kPacks = kPartitionOwn / kWidth;
    using Chunk = Pack<T, kWidth>;
    TEGU_DYNAMIC_SHARED(bytes);
    TEGU_SHARED(typename Mapper::Rule, held);
    const PartitionMemory memory(bytes, task);
    if (thread_index() == 0) held = rule;
    block_barrier();
    const Mapper mapper(held, nullptr);
    const Fast fast(held, 1, 0);
    mapper.write_edges(task.edges, 0, block_x() * block_threads() + thread_index(),
                       grid_x() * block_threads());
    if (block_x() == 0) count_ends(task, mapper);
    for (std::uint32_t i = thread_index(); i < task.buckets; i += kPartitionThreads) memory.sizes[i] = 0;
    for (std::uint64_t tile = block_x(); tile < task.tiles; tile += grid_x()) {
        const Chunk* const body = static_cast<const Chunk*>(task.x) + tile * (kPartitionTile / kWidth);
        const std::uint64_t left = task.packs - tile * (kPartitionTile / kWidth);
        Chunk chunk[kPacks];
        TEGU_UNROLL
        for (unsigned i = 0; i < kPacks; ++i)
            if (thread_index() + i * kPartitionThreads < left)
                chunk[i] = load_last(body + thread_index() + i * kPartitionThreads);
        for (std::uint32_t i = thread_index(); i < (task.buckets + 1) * kWarpLanes; i += kPartitionThreads)
            memory.ends[i] = 0;
        for (std::uint32_t i = thread_index(); i < task.capacity / 2; i += kPartitionThreads)
            reinterpret_cast<std::uint32_t*>(memory.keys)[i] = kNoPartitionKey * 0x10001u;
        block_barrier();
        std::uint32_t slot[kPartitionOwn];
        TEGU_UNROLL
        for (unsigned i = 0; i < kPacks; ++i) {
            const bool is_there = thread_index() + i * kPartitionThreads < left;
            bool sure = true;
            TEGU_UNROLL
            for (unsigned e = 0; e < kWidth; ++e) slot[i * kWidth + e] = fast.offset(chunk[i].at[e], &sure);
            TEGU_UNROLL
            for (unsigned e = 0; e < kWidth; ++e) {
                std::uint32_t& own = slot[i * kWidth + e];
                if (is_there && !sure) own = exact_key<Mapper>(held, chunk[i].at[e]);
                own -= own == task.slots ? 1 : 0;  // the upper edge belongs to the last slot
                if (!is_there || own > task.slots) own = task.buckets << task.bits;
                atomic_add(memory.ends + ((own >> task.bits) * kWarpLanes + lane_index()), 1u);
            }
        }
        block_place_buckets(task, memory);
        TEGU_UNROLL
        for (unsigned i = 0; i < kPartitionOwn; ++i) {
            const std::uint32_t place =
                atomic_add(memory.ends + ((slot[i] >> task.bits) * kWarpLanes + lane_index()), 1u);
            memory.keys[staged(place)] = static_cast<std::uint16_t>(slot[i] & ((1u << task.bits) - 1));
        }
        block_barrier();
        using KeyPack = Pack<std::uint32_t, 4>;
        for (std::uint32_t i = thread_index(); i < memory.first[task.buckets]; i += kPartitionThreads)
            reinterpret_cast<KeyPack*>(task.keys + tile * task.capacity)[i] =
                *reinterpret_cast<const KeyPack*>(memory.keys + staged(i * kPartitionPack));
        for (std::uint32_t i = thread_index(); i <= task.buckets; i += kPartitionThreads)
            task.starts[tile * (task.buckets + 1) + i] = static_cast<std::uint16_t>(memory.first[i]);
        block_barrier();
    }
    // Few additions: all blocks make them to the same words.
    for (std::uint32_t i = thread_index(); i < task.buckets; i += kPartitionThreads)
        if (memory.sizes[i] != 0) atomic_add(task.sizes + i, memory.sizes[i]);
}

// The blocks that count a bucket: every `shares`-th tile each.
struct BucketShare {
    std::uint32_t bucket, share, shares;
};
// Deals out the blocks by the sizes of the buckets. One warp; shares of 0 are of surplus blocks.
TEGU_DEVICE BucketShare warp_bucket_share(const PartitionTask& task) {
    std::uint64_t all = 0;
    for (std::uint32_t bucket = lane_index(); bucket < task.buckets; bucket += kWarpLanes)
        all += task.sizes[bucket];
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask != 0; mask /= 2) all += shuffle_xor(all, mask);
    const std::uint32_t spare = grid_x() > task.buckets ? grid_x() - task.buckets : 0;
    std::uint32_t before = 0;
    for (std::uint32_t at = 0; at < task.buckets; at += kWarpLanes) {
        const std::uint32_t bucket = at + lane_index();
        const std::uint64_t size = bucket < task.buckets ? task.sizes[bucket] : 0;
        const std::uint32_t shares =
            size == 0 ? 0 : 1 + static_cast<std::uint32_t>(std::uint64_t{spare} * size / all);
        std::uint32_t some;
        const std::uint32_t first = before + warp_sum_before(shares, &some);
        const std::uint32_t here = warp_ballot(block_x() >= first && block_x() < first + shares);
        if (here != 0) {
            const unsigned lane = trailing_zeros(here);
            return BucketShare{at + lane, block_x() - exchange_word(first, lane),
                               exchange_word(shares, lane)};
        }
        before += some;
    }
    return BucketShare{0, 0, 0};
}

template <class Rule>
using PartitionKernel = void (*)(PartitionTask, Rule);

// Launches a variant of partition_keys once.
template <class Rule>
LaunchStatus launch_partition(PartitionKernel<Rule> kernel, const PartitionTask& task, const Rule& rule,
                              const DeviceLimits& limits, Stream stream) {
    constexpr unsigned kWaves = 1;
    const LaunchShape shape{blocks_for(task.tiles * kPartitionThreads, kPartitionThreads, kWaves, limits), 1,
                            kPartitionThreads, partition_shared_bytes(task.buckets)};
    return launch(kernel, shape, stream, task, rule);
}

}  // namespace cuda
}  // namespace tegu
