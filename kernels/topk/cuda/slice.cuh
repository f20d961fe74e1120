// SPDX-License-Identifier: Apache-2.0
// Selects and sorts a slice of the results in a block, from elements or from lists of survivors.
#pragma once

#include "kernels/selection/cuda/block_sort.cuh"
#include "kernels/selection/cuda/order.cuh"
#include "kernels/topk/cuda/topk.h"

namespace tegu {
namespace cuda {

constexpr std::uint64_t kMaxAtOnce = 1u << 30;  // survivors

struct SliceJob {
    KeySegments in;
    SelectState* states;  // null: the elements; else the survivors
    PairLists lists;
    SelectionOutput output;
    unsigned slice;         // results of a block
    unsigned capacity;      // pairs in shared memory: a power of two
    std::uint64_t* seen;    // [segments] gets the numbers of survivors, or null
    std::uint64_t* boards;  // [segments, board_words] have survivors and best, or null: the states
    std::uint32_t board_words;

    TEGU_DEVICE bool is_sliced() const { return slice < output.k; }
};

// A source of elements, or of survivors.
template <class U>
struct SliceSource {
    KeyedSegment<U> segment;
    const U* keys;  // null: elements
    const std::uint64_t* indices;

    TEGU_DEVICE std::uint64_t index(std::uint64_t i) const { return keys == nullptr ? i : indices[i]; }
    TEGU_DEVICE U bits(std::uint64_t i) const {
        const U* const at = keys == nullptr ? segment.elements + segment.offset(i) : keys + i;
        return *at;
    }
    TEGU_DEVICE U key_of(U bits) const { return keys == nullptr ? segment.key_of(bits) : bits; }
};

// Fills entries [begin, end) of all without a pair, because the elements have changed. It replaces the old
// content of the memory.
template <class U>
TEGU_DEVICE void fill_entries(const SelectionOutput& output, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin + thread_index(); i < end; i += block_threads()) {
        static_cast<U*>(output.values)[i] = 0;
        output.indices[i] = ~std::uint64_t{0};
    }
}

// The output of a block of select_slices, and the range that it searches.
template <class U>
struct Slice {
    const SliceJob& job;
    const KeyedSegment<U>& segment;
    std::uint64_t number;  // of the segment
    std::uint64_t start;   // of the results that `begin` counts from
    std::uint64_t begin;   // of the results
    std::uint64_t end;
    SelectRange whole;         // of all pairs
    std::uint64_t last_index;  // of the pairs

    // The entry of the output for result 0.
    TEGU_DEVICE std::uint64_t first() const { return number * job.output.k + start; }
    // Writes a pair to rank `to` of the results.
    TEGU_DEVICE void write(std::uint64_t to, U key, std::uint64_t index) const {
        static_cast<U*>(job.output.values)[first() + to] = decode_key(key, segment.flip, segment.is_float);
        job.output.indices[first() + to] = index;
    }
    TEGU_DEVICE void fill(std::uint64_t from) const {
        fill_entries<U>(job.output, first() + from, first() + end);
    }
};

// The survivors of a segment.
template <class U>
struct KeyList {
    const U* keys;
    const std::uint64_t* indices;
    std::uint32_t count;
};

// Collects the pairs of a slice, and few others, in one pass over the survivors, and narrows the range to
// them. False, to all threads, if one pass is not enough. bins: zero; *used: 0.
template <class U>
TEGU_DEVICE bool block_collect_slice(const KeyList<U>& list, const Slice<U>& slice, U* keys,
                                     std::uint64_t* indices, std::uint32_t* bins, std::uint32_t* used,
                                     SelectRange* range, unsigned* collected) {
    const unsigned capacity = slice.job.capacity;
    const std::uint32_t begin = static_cast<std::uint32_t>(slice.begin);
    const std::uint32_t end = static_cast<std::uint32_t>(slice.end);
    if (list.count <= kCountedPairs && list.count <= capacity) {
        for (unsigned i = thread_index(); i < list.count; i += block_threads()) {
            keys[i] = list.keys[i];
            indices[i] = list.indices[i];
        }
        *collected = list.count;
    } else if (range->low < range->high) {
        ValueList<U> values(list.keys, list.count);
        if (!block_narrow_list(values, begin, end, capacity, bins, range)) return false;
        *collected = block_collect_list(values, *range, capacity, used,
                                        [&](std::uint32_t slot, std::uint32_t i, U key) {
                                            keys[slot] = key;
                                            indices[slot] = i;
                                        });
        // Loads all at once, because single loads would be waited for one by one.
        for (unsigned slot = thread_index(); slot < *collected; slot += block_threads())
            indices[slot] = list.indices[indices[slot]];
    } else {
        const U key = static_cast<U>(range->low);
        range->go_by_index(slice.last_index);
        ValueList<std::uint64_t> values(list.indices, list.count);
        if (!block_narrow_list(values, begin, end, capacity, bins, range)) return false;
        *collected = block_collect_list(values, *range, capacity, used,
                                        [&](std::uint32_t slot, std::uint32_t, std::uint64_t index) {
                                            keys[slot] = key;
                                            indices[slot] = index;
                                        });
    }
    block_barrier();
    return true;
}

// Selects a slice in one pass over the survivors. Returns false, to all threads, if one pass is not enough;
// then nothing is written. bins: zero; *used: 0.
template <class U>
TEGU_DEVICE bool block_slice_at_once(const KeyList<U>& list, const Slice<U>& slice, U* keys,
                                     std::uint64_t* indices, std::uint32_t* bins, std::uint32_t* used) {
    SelectRange range = slice.whole;
    unsigned collected;
    if (!block_collect_slice(list, slice, keys, indices, bins, used, &range, &collected)) return false;
    const auto write = [&](unsigned i, unsigned rank) {
        const std::uint64_t to = range.before + rank;
        if (to >= slice.begin && to < slice.end) slice.write(to, keys[i], indices[i]);
    };
    if (collected <= kCountedPairs && collected <= block_threads()) {
        block_order(keys, indices, collected, bins, write);
    } else {
        block_sort<U, true>(keys, indices, block_fill(keys, indices, collected));
        for (unsigned i = thread_index(); i < collected; i += block_threads()) write(i, i);
    }
    const std::uint64_t known = range.before + collected;
    if (known < slice.end) slice.fill(known > slice.begin ? known : slice.begin);
    return true;
}

// Selects a slice in as many passes as necessary.
template <class U>
TEGU_DEVICE void block_slice(const SliceSource<U>& source, std::uint64_t count, const Slice<U>& slice,
                             U* keys, std::uint64_t* indices, std::uint32_t* bins) {
    for (std::uint64_t rank = slice.begin; rank < slice.end;) {
        SelectRange range = slice.whole;
        if (!block_window<U>(source, count, rank, slice.end, slice.job.capacity, slice.last_index, bins,
                             &range))
            return slice.fill(rank);
        const unsigned collected =
            block_collect(source, count, keys, indices, slice.job.capacity,
                          [&](std::uint64_t i, U key) { return range.takes(source, i, key); });
        block_sort<U, true>(keys, indices, block_fill(keys, indices, collected));
        for (unsigned i = thread_index(); i < collected; i += block_threads()) {
            const std::uint64_t to = range.before + i;
            if (to >= rank && to < slice.end) slice.write(to, keys[i], indices[i]);
        }
        if (range.before + collected <= rank) return slice.fill(rank);
        rank = range.before + collected;
        block_barrier();  // the pairs have been read
    }
}

// Reads the state of a segment and shows the number of survivors to the host. All threads call it.
TEGU_DEVICE SelectState block_read_state(const SliceJob& job, std::uint64_t number, bool is_first) {
    const SelectState& cut = job.states[number];
    SelectState state{cut.key, cut.index, 0, 0, 0};
    if (job.boards != nullptr) {
        const std::uint64_t* const board = job.boards + number * job.board_words;
        state.survivors = board[kBoardSurvivors];
        state.best = ~board[kBoardBest];
    } else {
        state.survivors = cut.survivors;
        state.best = cut.best;
    }
    if (is_first && thread_index() == 0) {
        if (job.seen != nullptr) job.seen[number] = state.survivors;
        if (job.boards != nullptr) job.states[number].survivors = state.survivors;
    }
    return state;
}
// Clears a board: the entries by the first block of the segment, the rest by the last one that has read it.
TEGU_DEVICE void block_clear_board(const SliceJob& job, std::uint64_t number, bool is_first) {
    std::uint64_t* const board = job.boards + number * job.board_words;
    const unsigned last = job.is_sliced() ? grid_x() - 1 : 0;
    block_barrier();  // all threads have read
    if (is_first)
        for (unsigned i = kBoardEntries + thread_index(); i < job.board_words; i += block_threads())
            board[i] = 0;
    if (thread_index() != 0) return;
    if (atomic_wrap(reinterpret_cast<std::uint32_t*>(board + kBoardTickets), last) != last) return;
    board[kBoardSurvivors] = 0;
    board[kBoardBest] = 0;
}

// Selects the slice of a block.
template <class U, bool Survivors>
TEGU_DEVICE void block_select_slice(const SliceJob& job, std::uint64_t number, std::uint64_t begin,
                                    std::uint64_t end, unsigned char* shared, std::uint32_t* bins,
                                    std::uint32_t* used) {
    std::uint64_t* const indices = reinterpret_cast<std::uint64_t*>(shared);
    U* const keys = reinterpret_cast<U*>(indices + job.capacity);
    const KeyedSegment<U> segment(job.in, number);
    std::uint64_t count = job.in.n;
    std::uint64_t last_index = job.in.n - 1;
    SliceSource<U> source{segment, nullptr, nullptr};
    SelectRange whole{0, ~std::uint64_t{0}, 0, count, 0, false};
    if (Survivors) {
        const SelectState state = block_read_state(job, number, begin == 0);
        count = state.survivors;
        if (count < job.output.k || count > job.lists.capacity)
            return fill_entries<U>(job.output, number * job.output.k + begin, number * job.output.k + end);
        source.keys = static_cast<const U*>(job.lists.keys) + number * job.lists.capacity;
        source.indices = job.lists.indices + number * job.lists.capacity;
        whole.low = state.best < state.key ? state.best : state.key;
        whole.high = state.key;
        whole.inside = count;
        // If all keys are equal, the last index is at most that of the cut.
        if (whole.low == whole.high && state.index < last_index) last_index = state.index;
    } else if (count > job.capacity) {
        block_extent<U>(source, count, &whole.low, &whole.high);
    }
    const Slice<U> slice{job, segment, number, 0, begin, end, whole, last_index};
    if (Survivors && count <= kMaxAtOnce) {
        const KeyList<U> list{source.keys, source.indices, static_cast<std::uint32_t>(count)};
        if (block_slice_at_once(list, slice, keys, indices, bins, used)) return;
    }
    block_slice(source, count, slice, keys, indices, bins);
}

}  // namespace cuda
}  // namespace tegu
