// SPDX-License-Identifier: Apache-2.0
// Finds order statistics within one block: counts keys in ever smaller ranges until few are left, and ranks
// these against each other.
#pragma once

#include "kernels/selection/cuda/held.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kWindow = 128;  // keys that a block compares with each other

// The search for order statistics of a segment.
template <class U, class Source>
struct WindowSearch {
    const Source& source;
    std::uint32_t n;
    KeyRange<U> whole;
    ThreadBins* bins;     // shared
    U* keys;              // [kWindow] shared
    std::uint32_t* used;  // shared

    struct Found {
        U key;
        U next;
        bool has_next;
    };

    // The keys at `rank` and at `last`, which is the same rank or the next one. REQUIRES: last < n. Wrong,
    // but a key, if the elements change.
    TEGU_DEVICE Found find(std::uint32_t rank, std::uint32_t last) const {
        KeyRange<U> range = whole;
        while (range.low != range.high && range.inside > kWindow) {
            if (!narrow(&range, rank, last)) return Found{whole.low, whole.low, true};
        }
        const bool has_next = last - range.before < range.inside;
        if (range.low == range.high) return Found{range.low, range.low, has_next};
        return compare(range, rank - range.before, last - range.before, has_next);
    }

  private:
    TEGU_DEVICE bool narrow(KeyRange<U>* range, std::uint32_t rank, std::uint32_t last) const {
        const unsigned shift = bin_shift(static_cast<U>(range->high - range->low));
        zero_bins(bins);
        block_barrier();
        for_each_pair<U>(source, n, [&](std::uint64_t, U key, bool valid) {
            if (valid && range->holds(key))
                atomic_add(count_of(bins, static_cast<U>(key - range->low) >> shift), 1u);
        });
        block_barrier();
        // Where ranks fall into two large bins, only the first one is searched.
        const std::uint32_t begin = rank - range->before;
        const std::uint32_t end = last - range->before < range->inside ? last - range->before : begin;
        RankBins run;
        bool found = block_find_ranks(bins, begin, end, &run);
        if (found && run.first != run.last && run.inside > kWindow) {
            block_barrier();
            found = block_find_ranks(bins, begin, begin, &run);
        }
        if (found) range->enter(run, shift);
        return found;
    }

    // Collects the keys of a range and ranks them against each other.
    TEGU_DEVICE Found compare(const KeyRange<U>& range, std::uint32_t rank, std::uint32_t last,
                              bool has_next) const {
        TEGU_SHARED_ARRAY(U, found, 2);
        if (thread_index() == 0) *used = 0;
        if (thread_index() < 2) found[thread_index()] = range.low;
        block_barrier();
        for_each_pair<U>(source, n, [&](std::uint64_t, U key, bool valid) {
            if (!valid || !range.holds(key)) return;
            const std::uint32_t slot = atomic_add(used, 1u);
            if (slot < kWindow) keys[slot] = key;
        });
        block_barrier();
        const std::uint32_t count = *used < kWindow ? *used : kWindow;
        for (std::uint32_t i = thread_index(); i < count; i += block_threads()) {
            std::uint32_t before = 0;
            for (std::uint32_t other = 0; other < count; ++other)
                before += is_behind(keys[i], i, keys[other], other) ? 1 : 0;
            if (before == rank) found[0] = keys[i];
            if (before == last) found[1] = keys[i];
        }
        block_barrier();
        const Found result{found[0], found[1], has_next};
        block_barrier();  // before `found` and `keys` are used again
        return result;
    }
};

// The range of all keys of a source.
template <class U, class Source>
TEGU_DEVICE KeyRange<U> block_range(const Source& source, std::uint32_t n) {
    KeyRange<U> whole{static_cast<U>(~U{0}), 0, 0, n};
    for_each_pair<U>(source, n, [&](std::uint64_t, U key, bool valid) {
        whole.low = valid && key < whole.low ? key : whole.low;
        whole.high = valid && key > whole.high ? key : whole.high;
    });
    block_ends(whole.low, whole.high, &whole.low, &whole.high);
    return whole;
}

}  // namespace cuda
}  // namespace tegu
