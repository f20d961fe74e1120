// SPDX-License-Identifier: Apache-2.0
// Sorts keys with their origins, for results that one block cannot sort. The sort is stable, by digits of
// eight bits from the lowest, so equal keys stay in index order.
#pragma once

#include "kernels/selection/cuda/select.h"

namespace tegu {
namespace cuda {

constexpr unsigned kSortThreads = 256;  // of a block, one for each value of a digit
constexpr unsigned kSortDigits = 256;
constexpr std::uint64_t kMaxSortPairs = (std::uint64_t{1} << 32) - 1;
constexpr unsigned kMaxCompactTiles = 2048;

// Every launch serves several segments of one size (grid y). "One launch" may be several pieces. If only the
// device has the number of a segment's pairs, it is the survivors of its state, and blocks beyond them return
// at once.
// Memory for `count` segments of up to `capacity` pairs. Each segment has sort_count_words() counts.
struct SortBuffers {
    void* keys[2];              // [count, capacity] of the width
    std::uint32_t* origins[2];  // [count, capacity]; where in the unsorted keys
    std::uint32_t* counts;      // [count, kSortDigits, tiles]
    std::uint32_t* totals;      // [count, kSortDigits]
    std::uint64_t capacity;     // up to kMaxSortPairs
    unsigned tile;              // pairs that a block sorts at a time: a multiple of 256, up to 4096
};

// Words of SortBuffers::counts of one segment.
constexpr std::uint64_t sort_count_words(std::uint64_t capacity, unsigned tile) {
    return (capacity + tile - 1) / tile * kSortDigits;
}

// Threads of a block that takes `items`, one for each thread at a time.
constexpr unsigned sort_threads_for(unsigned items) {
    return items < kSortThreads ? (items + 31) / 32 * 32 : kSortThreads;
}

// The tile for a width that fits shared memory of 48 KB.
constexpr unsigned sort_tile_for(unsigned width, unsigned tile) {
    return width == 8 && tile > 2048 ? 2048 : tile;
}

// Writes the keys of all elements to buffers.keys[0], in their order. One launch. REQUIRES: in.count <=
// 65535; capacity >= n.
LaunchStatus launch_rank_all(const KeySegments& in, const SortBuffers& buffers, const Pieces& pieces,
                             const DeviceLimits& limits, Stream stream);

// Writes the pairs up to the cut of each state to buffers.keys[0] and `indices` [count, capacity], in index
// order. state.survivors gets their number, also if it exceeds the capacity. Three launches. `tiles`: [count,
// kMaxCompactTiles] u64.
LaunchStatus launch_compact_survivors(const KeySegments& in, SelectState* states, const SortBuffers& buffers,
                                      std::uint64_t* indices, std::uint64_t* tiles, const Pieces& pieces,
                                      const DeviceLimits& limits, Stream stream);

// Sorts buffers.keys[0]. The result is in keys[i] and origins[i] with i = sorted_in(width). 3 * width
// launches. `states`: null if each segment has `capacity` pairs.
LaunchStatus launch_sort(unsigned width, std::uint64_t count, const SelectState* states,
                         const SortBuffers& buffers, const Pieces& pieces, Stream stream);
constexpr unsigned sorted_in(unsigned width) {
    return width == 1 ? 1 : 0;
}

// Writes the first k of the sorted pairs to the output. `indices`: as for launch_compact_survivors, or null
// if origins are indices. One launch. REQUIRES: not output.distinct; in.count <= 65535.
LaunchStatus launch_write_sorted(const KeySegments& in, const SelectState* states, const SortBuffers& buffers,
                                 const std::uint64_t* indices, const SelectionOutput& output,
                                 const Pieces& pieces, const DeviceLimits& limits, Stream stream);

// Writes the first k different keys of `capacity` sorted pairs to the output. state.found gets their number,
// at most k. Three launches, and one that fills missing entries.
LaunchStatus launch_write_distinct(const KeySegments& in, SelectState* states, const SortBuffers& buffers,
                                   const SelectionOutput& output, std::uint64_t* tiles, const Pieces& pieces,
                                   const DeviceLimits& limits, Stream stream);

}  // namespace cuda
}  // namespace tegu
