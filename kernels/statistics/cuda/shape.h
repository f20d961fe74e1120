// SPDX-License-Identifier: Apache-2.0
// The shape of a launch of reduce and dot: the distribution of tiles to warps. It is a pure function of job,
// policy and device; no bit of a result depends on it. Teams of warps take groups of tiles, warps take
// batches of rows that fit a tile, and groups of lanes take short rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace cuda {

struct ReducePolicy {
    unsigned threads_per_block;  // 32..512, a power of two; more where a group would be less than a chunk
    // maximum, one after the other: 1, 2, 4, 8 or 16. Fewer where the device would not be full.
    unsigned tiles_per_warp;
    unsigned waves;  // of the grid-stride launches for short rows
    // bytes of input that one launch reads, for each multiprocessor: splits a long job so that it can be
    // stopped
    std::uint64_t launch_bytes;

    friend constexpr bool operator==(const ReducePolicy& a, const ReducePolicy& b) {
        return a.threads_per_block == b.threads_per_block && a.tiles_per_warp == b.tiles_per_warp &&
               a.waves == b.waves && a.launch_bytes == b.launch_bytes;
    }
};
constexpr ReducePolicy kDefaultReducePolicy{128, 16, 4, 64 << 20};

constexpr unsigned kFloatTile = 1024;  // elements of a tile
constexpr std::uint64_t kTilesPerChunk = 16;

// How the groups of a segment are closed. One block merges each fan of partial results into one; this repeats
// until one is left.
struct ReduceClosing {
    unsigned fan = 1;            // partial results that a block merges: a power of two
    std::uint64_t partials = 0;  // partial results of a segment
    std::uint64_t tickets = 0;   // tickets of a segment
};
// each: partial results of a thread.
inline ReduceClosing closing_of(std::uint64_t groups, unsigned threads, unsigned each) {
    ReduceClosing closing;
    closing.fan = each * threads;
    while (groups > 1) {
        closing.partials += groups;
        groups = (groups + closing.fan - 1) / closing.fan;
        closing.tickets += groups;
    }
    return closing;
}

struct ReduceShape {
    unsigned threads;         // of a block
    unsigned tiles_per_warp;  // a power of two; of short rows: runs of a lane
    // warps that share a group: a power of two; all of the block where a segment has several groups
    unsigned team_warps;
    std::uint64_t groups;                     // of a segment; 1 or more
    unsigned row_lanes;                       // not 0: short rows, this many lanes each (a power of two)
    unsigned blocks;                          // of the grid for short rows, and for batches
    ReduceClosing closing = ReduceClosing();  // closing_of()
    // not 0: a warp finishes this many rows at once, 32 at most. Each row fits `row_lanes` runs, or a tile
    unsigned batch_rows = 0;
    unsigned walk_blocks = 0;  // of the grid for a batch's short rows if their runs are no packs

    friend constexpr bool operator==(const ReduceShape& a, const ReduceShape& b) {
        return a.threads == b.threads && a.tiles_per_warp == b.tiles_per_warp &&
               a.team_warps == b.team_warps && a.groups == b.groups && a.row_lanes == b.row_lanes &&
               a.blocks == b.blocks && a.batch_rows == b.batch_rows;
    }
    // Number of groups that one block takes.
    unsigned teams() const { return threads / 32 / team_warps; }
};

// The inputs of the shape besides policy and device.
struct ReduceWorkload {
    std::uint64_t segments;
    std::uint64_t n;                   // elements of each
    unsigned tile_elements;            // of a tile: 1024 for floats
    unsigned run_elements;             // adjacent elements that a lane loads at once
    unsigned max_tiles;                // of a warp, and
    unsigned max_threads;              // of a block: what the registers of the kernel allow; powers of two
    unsigned resident_threads = 1024;  // of a multiprocessor, likewise
    // kernels for batches of rows exist: of rows of up to 32 runs, and of rows that fit a tile
    bool batches_runs = false;
    bool staged_runs = false;  // blocks of one warp take those rows instead
    bool batches_tiles = false;
    // of a block that closes a segment; 1 where a kernel of the workload merges extremes
    unsigned partials_per_thread = 2;
    // of a block where each chunk can have a multiprocessor of its own; 0: max_threads
    unsigned max_threads_alone = 0;
    bool any_groups = false;  // a group may be less than a chunk: sums have no order
};

// Warps that fill half of the device, so that a few tiles never need a second round of warps. Fewer warps
// would not use all memory bandwidth.
inline std::uint64_t enough_warps(const ReduceWorkload& work, const DeviceLimits& limits) {
    const unsigned resident = work.resident_threads < limits.threads_per_multiprocessor
                                  ? work.resident_threads
                                  : limits.threads_per_multiprocessor;
    return std::uint64_t{limits.multiprocessors} * resident / 64;
}

inline unsigned block_threads_of(const ReduceWorkload& work, const ReducePolicy& policy) {
    return policy.threads_per_block < work.max_threads ? policy.threads_per_block : work.max_threads;
}

constexpr unsigned kMaxLaneRuns = 8;  // of a short row

constexpr unsigned kBatchThreads =
    128;  // of a block at most: shared memory and registers allow several blocks

// Batches of rows. `lanes`: for each row. A warp takes several batches only if each has few loads.
inline ReduceShape choose_batches(const ReduceWorkload& work, unsigned lanes, const ReducePolicy& policy,
                                  const DeviceLimits& limits) {
    const unsigned most = block_threads_of(work, policy);
    const unsigned threads = most < kBatchThreads ? most : kBatchThreads;
    const std::uint64_t resident = 2 * enough_warps(work, limits);
    const std::uint64_t share = ceil_divide(work.segments, resident);
    const bool runs = work.n <= std::uint64_t{32} * work.run_elements;
    const std::uint64_t rows = runs || share > 32 ? 32 : share;
    const std::uint64_t batches = ceil_divide(work.segments, rows);
    const std::uint64_t at_most = !runs ? batches : lanes <= 8 ? 2 : 1;
    const std::uint64_t wanted = ceil_divide(batches, resident);
    const std::uint64_t warps = ceil_divide(batches, wanted < at_most ? wanted : at_most);
    ReduceShape shape{threads, 1, 1, 1, lanes, static_cast<unsigned>(ceil_divide(warps, threads / 32))};
    shape.batch_rows = static_cast<unsigned>(rows);
    return shape;
}

inline ReduceShape choose_short_rows(const ReduceWorkload& work, const ReducePolicy& policy,
                                     const DeviceLimits& limits) {
    const unsigned threads = block_threads_of(work, policy);
    const std::uint64_t runs = up_to_power_of_two(ceil_divide(work.n, work.run_elements));
    const std::uint64_t resident = std::uint64_t{limits.multiprocessors} * limits.threads_per_multiprocessor;
    // Few lanes for each row, but adjacent loads that fill memory sectors, and work for half of the device.
    std::uint64_t lanes = runs > kMaxLaneRuns ? runs / kMaxLaneRuns : 1;
    while (lanes < runs && work.segments * lanes < resident / 2) lanes *= 2;
    const std::uint64_t wanted = ceil_divide(work.segments, threads / lanes > 0 ? threads / lanes : 1);
    const std::uint64_t max = (resident / threads + 1) * (policy.waves > 0 ? policy.waves : 1);
    const ReduceShape walk{
        threads, static_cast<unsigned>(runs / lanes), 1,
        1,       static_cast<unsigned>(lanes),        static_cast<unsigned>(wanted < max ? wanted : max)};
    if (!(work.batches_runs || work.staged_runs) || runs < 4 ||
        work.segments / 32 < enough_warps(work, limits))
        return walk;
    if (work.staged_runs) {
        const std::uint64_t blocks = ceil_divide(work.segments, 32), most = 1 << 30;
        ReduceShape staged{
            32, 1, 1, 1, static_cast<unsigned>(runs), static_cast<unsigned>(blocks < most ? blocks : most)};
        staged.batch_rows = 32;
        return staged;
    }
    ReduceShape batches = choose_batches(work, static_cast<unsigned>(runs), policy, limits);
    batches.walk_blocks = walk.blocks;
    return batches;
}

// Returns whether the waiting float nodes of a warp's tiles fit the shared memory that every device has: 40 B
// for each thread and level.
inline bool waiting_fits(unsigned threads, unsigned tiles_per_warp) {
    unsigned levels = 0;
    while (1u << levels < tiles_per_warp) ++levels;
    return threads * levels <= 1024;
}

// REQUIRES: segments > 0.
inline ReduceShape choose_reduce_shape(ReduceWorkload work, const ReducePolicy& policy,
                                       const DeviceLimits& limits) {
    const unsigned max_threads = limits.max_threads(512);
    if (work.max_threads > max_threads) work.max_threads = max_threads;
    if (work.segments > 1 && work.n != 0 && work.n <= std::uint64_t{32} * work.run_elements)
        return choose_short_rows(work, policy, limits);
    if (work.batches_tiles && work.segments > 1 && work.n != 0 && work.n <= work.tile_elements)
        return choose_batches(work, 32, policy, limits);
    const std::uint64_t tiles = work.n == 0 ? 1 : ceil_divide(work.n, work.tile_elements);
    const unsigned alone = work.max_threads_alone < max_threads ? work.max_threads_alone : max_threads;
    if (work.segments * ceil_divide(tiles, kTilesPerChunk) <= limits.multiprocessors &&
        work.max_threads < alone)
        work.max_threads = alone;
    const std::uint64_t warps = enough_warps(work, limits);
    const unsigned max = policy.tiles_per_warp < work.max_tiles ? policy.tiles_per_warp : work.max_tiles;
    unsigned threads = block_threads_of(work, policy);
    unsigned per_warp = 1;
    while (per_warp < max && per_warp < tiles && work.segments * ceil_divide(tiles, 2 * per_warp) >= warps)
        per_warp *= 2;
    while (threads > 32 && !waiting_fits(threads, per_warp)) threads /= 2;
    std::uint64_t team = up_to_power_of_two(ceil_divide(tiles, per_warp));
    while (threads > 32 && work.segments * team <= threads / 64) threads /= 2;  // no idle warps
    while (threads / 32 < team && team <= work.max_threads / 32 && waiting_fits(2 * threads, per_warp))
        threads *= 2;
    if (team <= threads / 32) return ReduceShape{threads, per_warp, static_cast<unsigned>(team), 1, 0, 0};
    const bool chunks = !work.any_groups || per_warp > 1;
    while (chunks && threads / 32 * per_warp < kTilesPerChunk) {  // a group is a chunk at least
        unsigned* const grows = threads < work.max_threads ? &threads : &per_warp;
        *grows *= 2;
    }
    while (!chunks && 2 * threads <= work.max_threads &&  // a multiprocessor for each group
           work.segments * ceil_divide(tiles, threads / 32) > limits.multiprocessors)
        threads *= 2;
    // Uses larger blocks if one fan is then enough.
    const std::uint64_t blocks = ceil_divide(tiles, threads / 32 * per_warp);
    const unsigned fan = work.partials_per_thread * threads;
    if (blocks > fan && blocks <= 4 * fan && 2 * threads <= work.max_threads &&
        waiting_fits(2 * threads, per_warp))
        threads *= 2;
    team = threads / 32;
    const std::uint64_t groups = ceil_divide(tiles, team * per_warp);
    return ReduceShape{threads,
                       per_warp,
                       static_cast<unsigned>(team),
                       groups,
                       0,
                       0,
                       closing_of(groups, threads, work.partials_per_thread)};
}

}  // namespace cuda
}  // namespace tegu
