// SPDX-License-Identifier: Apache-2.0
// Keeps the elements that a source takes, in their order: three kernels, for survivors of a cut and for the
// first of equal keys.
#pragma once

#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/block.cuh"
#include "kernels/selection/cuda/sort.h"

namespace tegu {
namespace cuda {

constexpr unsigned kCompactItems = 8;

// A source that takes the elements up to the cut.
struct SurvivorLists {
    KeySegments in;
    const SelectState* states;
    void* keys;
    std::uint64_t* indices;
    std::uint64_t capacity;
};
template <class U>
struct Survivors : SurvivorLists {
    using Data = SurvivorLists;
    TEGU_DEVICE explicit Survivors(const Data& data) : Data(data) {}
    TEGU_DEVICE std::uint64_t size(std::uint64_t) const { return in.n; }
    TEGU_DEVICE bool takes(std::uint64_t number, std::uint64_t i) const {
        const KeyedSegment<U> segment(in, number);
        return !is_behind(segment.key(i), i, static_cast<U>(states[number].key), states[number].index);
    }
    TEGU_DEVICE void put(std::uint64_t number, std::uint64_t i, std::uint64_t slot) const {
        if (slot >= capacity) return;
        static_cast<U*>(keys)[number * capacity + slot] = KeyedSegment<U>(in, number).key(i);
        indices[number * capacity + slot] = i;
    }
    // Fills an entry if fewer elements are kept than were counted, because they have changed. It replaces the
    // old content of the memory.
    TEGU_DEVICE void put_none(std::uint64_t number, std::uint64_t slot) const {
        if (slot >= capacity) return;
        static_cast<U*>(keys)[number * capacity + slot] = 0;
        indices[number * capacity + slot] = ~std::uint64_t{0};
    }
    TEGU_DEVICE std::uint64_t total(std::uint64_t number) const { return states[number].survivors; }
    TEGU_DEVICE static void set_total(SelectState* state, std::uint64_t total, std::uint64_t) {
        state->survivors = total;
    }
};

// A source that takes the first of each run of equal sorted keys.
struct SortedPairs {
    KeySegments in;
    const void* keys;
    const std::uint32_t* origins;
    SelectionOutput output;
};
template <class U>
struct FirstOfRuns : SortedPairs {
    using Data = SortedPairs;
    TEGU_DEVICE explicit FirstOfRuns(const Data& data) : Data(data) {}
    TEGU_DEVICE std::uint64_t size(std::uint64_t) const { return in.n; }
    TEGU_DEVICE bool takes(std::uint64_t number, std::uint64_t i) const {
        const U* const sorted = static_cast<const U*>(keys) + number * in.n;
        return i == 0 || sorted[i] != sorted[i - 1];
    }
    TEGU_DEVICE void put(std::uint64_t number, std::uint64_t i, std::uint64_t slot) const {
        if (slot >= output.k) return;
        const std::uint64_t at = number * output.k + slot;
        static_cast<U*>(output.values)[at] =
            decode_key(static_cast<const U*>(keys)[number * in.n + i], static_cast<U>(in.flip), in.is_float);
        output.indices[at] = origins[number * in.n + i];
    }
    // Does nothing: the sorted keys are in the daemon's memory, so none is missing.
    TEGU_DEVICE void put_none(std::uint64_t, std::uint64_t) const {}
    TEGU_DEVICE std::uint64_t total(std::uint64_t) const { return 0; }
    TEGU_DEVICE static void set_total(SelectState* state, std::uint64_t total, std::uint64_t k) {
        state->found = total < k ? total : k;
    }
};

// The tiles of a segment: block x of a launch has tile first + x.
struct Tiles {
    std::uint64_t size;  // elements of each: a multiple of a block's step
    unsigned first;
    unsigned all;
};

// A block's tile, in the order of the elements.
struct TilePart {
    std::uint64_t number;
    std::uint64_t begin;
    std::uint64_t end;
    TEGU_DEVICE TilePart(const Tiles& tiles, std::uint64_t n) : number(tiles.first + block_x()) {
        begin = tiles.size * number < n ? tiles.size * number : n;
        end = begin + tiles.size < n ? begin + tiles.size : n;
    }
};

// compact_count: counts the elements that each tile keeps.
// in:    what the source reads                      out: tiles [count, kMaxCompactTiles]
// grid:  x = some of the tiles, y = segments       block: 256
// shared: 128 B static                              result valid in: tiles, after the launch
// moves: reads the input once                       order: any
// why:   the output positions need the counts of the previous tiles
template <class Source>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    compact_count(typename Source::Data data, Tiles part_of, std::uint64_t* tiles) {
    const Source source(data);
    const std::uint64_t number = block_y();
    const TilePart part(part_of, source.size(number));
    std::uint32_t own = 0;
    for (std::uint64_t i = part.begin + thread_index(); i < part.end; i += kSortThreads)
        own += source.takes(number, i) ? 1 : 0;
    std::uint64_t total;
    block_sum_before<std::uint64_t>(own, &total);
    if (thread_index() == 0) tiles[number * kMaxCompactTiles + part.number] = total;
}

// compact_scan: the number of elements that all previous tiles keep, and the total.
// in/out: tiles                                     out: states
// grid:  x = segments                              block: 256, fewer where there are fewer tiles
// shared: 256 B static                              result valid in: tiles and states, after the launch
// moves: 16 B a tile                                order: any
// why:   one block sums 2048 tiles within microseconds
template <class Source>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    compact_scan(std::uint64_t* tiles, unsigned tile_count, SelectState* states, std::uint64_t k) {
    std::uint64_t* const own = tiles + std::uint64_t{block_x()} * kMaxCompactTiles;
    std::uint64_t before = 0;
    for (unsigned base = 0; base < tile_count; base += block_threads()) {
        const unsigned i = base + thread_index();
        std::uint64_t total;
        const std::uint64_t slot =
            before + block_sum_before<std::uint64_t>(i < tile_count ? own[i] : 0, &total);
        if (i < tile_count) own[i] = slot;
        before += total;
    }
    if (thread_index() == 0) Source::set_total(&states[block_x()], before, k);
}

// compact_move: moves the kept elements to their output positions.
// in:    what the source reads, tiles               out: what the source writes
// grid:  x = some of the tiles, y = segments       block: 256
// shared: 128 B static                              result valid in: the output, after the launch
// moves: reads the input once, writes what is kept  order: as the input
// why:   eight adjacent elements a thread: one sum over the block gives their output positions
template <class Source>
TEGU_KERNEL TEGU_BOUNDS(kSortThreads)
    compact_move(typename Source::Data data, Tiles part_of, const std::uint64_t* tiles) {
    const Source source(data);
    const std::uint64_t number = block_y();
    const TilePart part(part_of, source.size(number));
    std::uint64_t slot = tiles[number * kMaxCompactTiles + part.number];
    for (std::uint64_t base = part.begin; base < part.end; base += kSortThreads * kCompactItems) {
        const std::uint64_t first = base + thread_index() * kCompactItems;
        std::uint32_t mask = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < kCompactItems; ++j)
            if (first + j < part.end && source.takes(number, first + j)) mask |= 1u << j;
        std::uint32_t total;
        std::uint64_t to = slot + block_sum_before<std::uint32_t>(count_bits(mask), &total);
        for (; mask != 0; mask &= mask - 1) source.put(number, first + trailing_zeros(mask), to++);
        slot += total;
    }
    const bool is_last = part.number + 1 == part_of.all;
    const std::uint64_t end =
        is_last ? source.total(number) : tiles[number * kMaxCompactTiles + part.number + 1];
    for (slot += thread_index(); slot < end; slot += kSortThreads) source.put_none(number, slot);
}

}  // namespace cuda
}  // namespace tegu
