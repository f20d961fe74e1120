// SPDX-License-Identifier: Apache-2.0
// Sorts keys with their origins, for results that one block cannot sort. The sort is stable, by digits of
// eight bits from the lowest, so equal keys stay in index order.
#pragma once

#include "kernels/selection/cuda/cut.h"

namespace tegu {
namespace cuda {

constexpr unsigned kSortThreads = 256;  // of a block, one for each value of a digit
constexpr unsigned kSortDigits = 256;
constexpr std::uint64_t kMaxSortPairs = (std::uint64_t{1} << 32) - 1;
constexpr unsigned kMaxCompactTiles = 2048;

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

// The tile for a width that fits shared memory of 48 KB.
constexpr unsigned sort_tile_for(unsigned width, unsigned tile) {
    return width == 8 && tile > 2048 ? 2048 : tile;
}

// Several segments of one size, and their results. With `indices`, only the survivors of the states are
// sorted; their number is known on the device alone, and blocks beyond it return at once.
struct SortJob {
    KeySegments in;  // up to 65535 segments
    SortBuffers buffers;
    SelectState* states;     // [count]
    std::uint64_t* indices;  // [count, capacity]; null: all elements are sorted, and origins are indices
    std::uint64_t* tiles;    // [count, kMaxCompactTiles]; to compact survivors or to drop equal keys
    SelectionOutput output;
    Pieces pieces;  // of its launches

    const SelectState* survivors() const { return indices == nullptr ? nullptr : states; }
};

// "One launch" may be several pieces.
// Writes the keys of all elements to buffers.keys[0], in their order. One launch. REQUIRES: capacity >= n.
LaunchStatus launch_rank_all(const SortJob& job, const SelectionConfig& config);

// Writes the pairs up to the cut of each state to buffers.keys[0] and `indices`, in index order.
// state.survivors gets their number, also if it exceeds the capacity. Three launches.
LaunchStatus launch_compact_survivors(const SortJob& job, const SelectionConfig& config);

// Sorts buffers.keys[0]. The result is in keys[i] and origins[i] with i = sorted_in(width). 3 * width
// launches.
LaunchStatus launch_sort(const SortJob& job, const SelectionConfig& config);
constexpr unsigned sorted_in(unsigned width) {
    return width == 1 ? 1 : 0;
}

// Writes the first k of the sorted pairs to the output. One launch. REQUIRES: not output.distinct.
LaunchStatus launch_write_sorted(const SortJob& job, const SelectionConfig& config);

// Writes the first k different keys of `capacity` sorted pairs to the output. state.found gets their number,
// at most k. Three launches, and one that fills missing entries.
LaunchStatus launch_write_distinct(const SortJob& job, const SelectionConfig& config);

}  // namespace cuda
}  // namespace tegu
