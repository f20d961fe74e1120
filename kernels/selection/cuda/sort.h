// SPDX-License-Identifier: Apache-2.0
// Sorts keys with their origins, for results that one block cannot sort. The sort is stable, by digits of
// eight bits from the lowest, so equal keys stay in index order.
#pragma once

#include "kernels/selection/cuda/cut.h"

namespace tegu {
namespace cuda {

constexpr unsigned kSortThreads = 256;  // of a block, at least: one for each value of a digit
constexpr unsigned kSortDigits = 256;
constexpr unsigned kMaxDigits = 8;  // of a key
constexpr std::uint64_t kMaxSortPairs = (std::uint64_t{1} << 32) - 1;
constexpr unsigned kMaxCompactTiles = 2048;

// A block sorts `threads` * `items` pairs at a time.
struct SortTile {
    unsigned threads;  // 256 or 512
    unsigned items;    // kFewSortItems, or many_sort_items()
    constexpr unsigned pairs() const { return threads * items; }
};
constexpr unsigned kFewSortItems = 4;
constexpr unsigned many_sort_items(unsigned width) {
    return width == 8 ? 8 : 16;
}
// The largest tile of at most `max` pairs that fits a block of the device. It is smaller where `pairs` would
// not fill all multiprocessors.
SortTile sort_tile_for(unsigned width, std::uint64_t pairs, unsigned max, const DeviceLimits& limits);

// The passes of a sort, in device memory: digits in which all keys agree need none.
struct SortPlan {
    std::uint32_t passes;              // 1 or more
    std::uint32_t digits[kMaxDigits];  // of each pass, from the lowest
    std::uint32_t
        starts[kMaxDigits * kSortDigits];  // of the pairs with each value of a digit, in sorted order
};

// Memory for `count` segments of up to `capacity` pairs. Pass i reads keys[i % 2] and writes the others.
struct SortBuffers {
    void* keys[2];              // [count, capacity] of the width
    std::uint32_t* origins[2];  // [count, capacity]; where in the unsorted keys
    std::uint64_t* tiles;       // [count, sort_tile_words()]
    std::uint32_t* counters;    // [count, sort_counter_words()], zero before and after a sort
    SortPlan* plans;            // [count]
    std::uint64_t capacity;     // up to kMaxSortPairs
    SortTile tile;
};
constexpr std::uint64_t sort_tile_words(std::uint64_t capacity, SortTile tile) {
    return (capacity + tile.pairs() - 1) / tile.pairs() * kSortDigits;
}
// Counts of each digit, and tickets of each pass and of the count.
constexpr std::uint64_t sort_counter_words(unsigned width) {
    return std::uint64_t{width} * (kSortDigits + 1) + 1;
}

// Survivors of cuts, in index order. Each block has a part of a segment; each of its warps, a part of that.
struct SurvivorBuffers {
    std::uint64_t* indices;  // [count, capacity]
    std::uint64_t* counts;   // [count, blocks], zero before; a sort leaves them zero
    std::uint32_t* tickets;  // [count], zero before and after
    std::uint64_t* seen;     // [count] visible to the host, gets the numbers of survivors; or null
    std::uint64_t part;      // elements of a warp: a multiple of 32, less than 2^32
    unsigned blocks;         // of a segment
};
// Sets part and blocks for `count` segments of n, in launches of about `piece` elements.
void choose_survivor_blocks(std::uint64_t n, std::uint64_t count, std::uint64_t piece,
                            const DeviceLimits& limits, SurvivorBuffers* buffers);

// Several segments of one size, and their results. With survivors.indices, only the survivors of the states
// are sorted; their number is known on the device alone, and blocks beyond it return at once.
struct SortJob {
    KeySegments in;  // up to 65535 segments
    SortBuffers buffers;
    SelectState* states;        // [count]
    SurvivorBuffers survivors;  // indices null: all elements are sorted, and origins are indices
    std::uint64_t* runs;        // [count, kMaxCompactTiles]; to drop equal keys
    SelectionOutput output;
    Pieces pieces;  // of its launches

    bool of_survivors() const { return survivors.indices != nullptr; }
};

// "One launch" may be several pieces.
// Writes the pairs up to the cut of each state to buffers.keys[0] and the indices, in index order.
// state.survivors gets their number, also if it exceeds the capacity. One launch.
LaunchStatus launch_keep_survivors(const SortJob& job, const SelectionConfig& config);

// Sorts the survivors in buffers.keys[0], or all elements. REQUIRES: capacity >= n for all elements. Unless
// output.distinct, writes the first k pairs to the output; else leaves the sorted pairs in keys[i] and
// origins[i], i = plan.passes % 2. 1 + width launches.
LaunchStatus launch_sort(const SortJob& job, const SelectionConfig& config);

// Writes the first k different keys of `capacity` sorted pairs to the output. state.found gets their number,
// at most k. Three launches, and one that fills missing entries.
LaunchStatus launch_write_distinct(const SortJob& job, const SelectionConfig& config);

}  // namespace cuda
}  // namespace tegu
