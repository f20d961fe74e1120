// SPDX-License-Identifier: Apache-2.0
// Selects from a list in a block in one pass. Code that runs once waits for each instruction line and each
// barrier, so this code is short and has few barriers. kernels/selection/cuda/block.cuh handles what one pass
// does not find.
#pragma once

#include "kernels/selection/cuda/block.cuh"

namespace tegu {
namespace cuda {

// The keys of a list's pairs, in any order, or the indices of pairs with equal keys. A thread keeps the
// values that it has loaded last: a second pass over a short list loads nothing.
template <class V>
struct ValueList {
    static constexpr unsigned kHeld = 8;
    const V* values;
    std::uint32_t count;
    std::uint32_t held_from;  // the first of the held values; ~0: none
    V held[kHeld];

    TEGU_DEVICE ValueList(const V* all, std::uint32_t size)
        : values(all), count(size), held_from(~std::uint32_t{0}) {}

    // Calls body(i, value, offset) for each value in a range, `offset` behind its start. Lanes diverge: no
    // collectives in the body.
    template <class Body>
    TEGU_DEVICE void each_in(const SelectRange& range, Body body) {
        const V low = static_cast<V>(range.low);
        const V span = static_cast<V>(range.high - range.low);
        TEGU_NO_UNROLL
        for (std::uint32_t base = thread_index(); base < count; base += kHeld * block_threads()) {
            if (held_from != base) load(base);
            TEGU_UNROLL
            for (unsigned j = 0; j < kHeld; ++j) {
                const std::uint32_t i = base + j * block_threads();
                const V offset = static_cast<V>(held[j] - low);
                if (i < count && offset <= span) body(i, held[j], offset);
            }
        }
    }

  private:
    TEGU_DEVICE void load(std::uint32_t base) {
        held_from = base;
        TEGU_UNROLL
        for (unsigned j = 0; j < kHeld; ++j) {
            const std::uint32_t i = base + j * block_threads();
            held[j] = values[i < count ? i : base];
        }
    }
};

// Gives all threads the bins from that of pair `begin` to that of pair `end` - 1 (from 0, in sorted order).
// False if there are fewer pairs. REQUIRES: begin < end.
TEGU_DEVICE bool block_find_ends(const std::uint32_t* bins, std::uint32_t begin, std::uint32_t end,
                                 BinRun* run) {
    TEGU_SHARED_ARRAY(std::uint32_t, sums, kWarpLanes);
    // a bin and the pairs before it; a bin and the pairs up to its end
    TEGU_SHARED_ARRAY(std::uint32_t, found, 4);
    const unsigned share = (kSelectBins + block_threads() - 1) / block_threads();
    const unsigned first = thread_index() * share < kSelectBins ? thread_index() * share : kSelectBins;
    const unsigned last = first + share < kSelectBins ? first + share : kSelectBins;
    std::uint32_t own = 0;
    TEGU_NO_UNROLL
    for (unsigned b = first; b < last; ++b) own += bins[b];
    std::uint32_t sum = own;
    TEGU_UNROLL
    for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
        const std::uint32_t lower = shuffle_up(sum, delta);
        if (lane_index() >= delta) sum += lower;
    }
    if (lane_index() == kWarpLanes - 1) sums[warp_index()] = sum;
    if (thread_index() < 4) found[thread_index()] = kSelectBins;
    block_barrier();
    std::uint32_t before = lane_index() < warp_index() ? sums[lane_index()] : 0;
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) before += exchange_word_xor(before, mask);
    sum += before - own;
    if (sum < end && sum + own > begin) {
        TEGU_NO_UNROLL
        for (unsigned b = first; b < last; ++b) {
            const std::uint32_t upto = sum + bins[b];
            if (sum <= begin && begin < upto) {
                found[0] = b;
                found[1] = sum;
            }
            if (sum < end && end <= upto) {
                found[2] = b;
                found[3] = upto;
            }
            sum = upto;
        }
    }
    block_barrier();
    *run = BinRun{found[0], found[2], found[1], found[3] - found[1]};
    return found[0] < kSelectBins && found[2] < kSelectBins;
}

// Narrows a range to the bins of results [begin, end), counted by one pass over the list. False if they have
// more than `max` values, or the list has fewer. All threads call it. bins: [kSelectBins] shared, zero; the
// range holds all values.
template <class V>
TEGU_DEVICE bool block_narrow_list(ValueList<V>& list, std::uint32_t begin, std::uint32_t end, unsigned max,
                                   std::uint32_t* bins, SelectRange* range) {
    const unsigned shift = range->shift();
    list.each_in(*range, [&](std::uint32_t, V, V offset) { atomic_add(&bins[offset >> shift], 1u); });
    block_barrier();
    BinRun run;
    if (!block_find_ends(bins, begin, end, &run)) return false;
    range->enter(run.first, run.last, run.before, run.inside);
    return range->inside <= max;
}

// Calls store(slot, i, value) for the values of a range, in any order. Returns their number. All threads call
// it; the stores are visible to all. REQUIRES: *used, which is shared, is 0.
template <class V, class Store>
TEGU_DEVICE unsigned block_collect_list(ValueList<V>& list, const SelectRange& range, unsigned max,
                                        std::uint32_t* used, Store store) {
    list.each_in(range, [&](std::uint32_t i, V value, V) {
        const std::uint32_t slot = atomic_add(used, 1u);
        if (slot < max) store(slot, i, value);
    });
    block_barrier();
    return *used < max ? *used : max;
}

constexpr unsigned kCountedPairs = 256;  // above this, a network sorts faster

// Calls write(i, rank) for pairs i < count in shared memory, in any order; `rank` is that of the pair.
// All threads call it. Its first barrier makes their earlier writes to shared memory visible. ranks: [count]
// shared. REQUIRES: count <= block_threads(), all pairs differ.
template <class U, class Write>
TEGU_DEVICE void block_order(const U* keys, const std::uint64_t* indices, unsigned count,
                             std::uint32_t* ranks, Write write) {
    for (unsigned i = thread_index(); i < count; i += block_threads()) ranks[i] = 0;
    block_barrier();
    // Each warp compares a group of pairs with a part of all.
    const unsigned groups = (count + kWarpLanes - 1) / kWarpLanes;
    const unsigned parts = groups != 0 ? block_warps() / groups : 0;
    const unsigned part = groups != 0 ? warp_index() / groups : 0;
    if (part < parts) {
        const unsigned i = warp_index() % groups * kWarpLanes + lane_index();
        const U key = keys[i < count ? i : 0];
        const std::uint64_t index = indices[i < count ? i : 0];
        std::uint32_t before = 0;
        for (unsigned other = count * part / parts; other < count * (part + 1) / parts; ++other)
            before += is_behind(key, index, keys[other], indices[other]) ? 1 : 0;
        if (i < count && before != 0) atomic_add(&ranks[i], before);
    }
    block_barrier();
    for (unsigned i = thread_index(); i < count; i += block_threads()) write(i, ranks[i]);
}

}  // namespace cuda
}  // namespace tegu
