// SPDX-License-Identifier: Apache-2.0
// Counting in two steps, for counters beyond shared memory. Keys are sorted into buckets of neighbours, tile
// by tile, then counted bucket by bucket. The workspace holds a key of 16 bits for each element of a piece.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace cuda {

constexpr unsigned kPartitionThreads = 512;
constexpr unsigned kPartitionTile = 8192;  // elements
constexpr unsigned kPartitionPack = 8;     // keys of 16 bytes
constexpr std::uint32_t kMaxBuckets = 128;
constexpr unsigned kBucketThreads = 512;

// Keys of a tile, each bucket filled up to a whole pack.
constexpr std::uint32_t partition_capacity(std::uint32_t buckets) {
    return (kPartitionTile + (buckets + 1) * kPartitionPack + 63) / 64 * 64;
}
constexpr std::size_t partition_shared_bytes(std::uint32_t buckets) {
    return partition_capacity(buckets) * sizeof(std::uint16_t) +
           ((buckets + 1) * 32 + 2 * buckets + 2) * sizeof(std::uint32_t);
}

// A piece of one segment, on the device.
struct PartitionTask {
    const void* x;        // aligned to 16 bytes
    std::uint64_t packs;  // of 16 bytes
    std::uint64_t tiles;
    std::uint32_t slots;
    std::uint32_t bits;      // a bucket has 2^bits slots; at most 15
    std::uint32_t buckets;   // at most kMaxBuckets
    std::uint32_t capacity;  // partition_capacity(buckets)
    std::uint16_t* keys;     // [tiles, capacity]
    std::uint16_t* starts;   // [tiles, buckets + 1]
    std::uint32_t* sizes;    // [buckets], 0 before
    std::uint64_t* counts;   // [slots]; the counts of the piece are added
    // Of the first piece alone; otherwise null and 0.
    double* edges;     // [slots + 1]
    const void* head;  // elements before the first pack, fewer than a pack has
    const void* tail;  // elements behind the last pack
    unsigned head_count, tail_count;
};

// The second step. One launch.
LaunchStatus launch_count_buckets(const PartitionTask& task, const DeviceLimits& limits, Stream stream);

}  // namespace cuda
}  // namespace tegu
