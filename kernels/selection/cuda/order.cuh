// SPDX-License-Identifier: Apache-2.0
// Selects from a list in a block in one pass. Code that runs once waits for each instruction line and each
// barrier, so this code is short and has few barriers. kernels/selection/cuda/block.cuh handles what one pass
// does not find.
#pragma once

#include "kernels/selection/cuda/block.cuh"

namespace tegu {
namespace cuda {

// Pairs of a list, in any order.
template <class U>
struct KeyList {
    const U* keys;
    const std::uint64_t* indices;
    std::uint32_t count;
};

// Calls body(i, key, offset) for each pair of the list with a key in a range, `offset` behind the start of
// the range. A thread loads `Batch` keys at once. Lanes diverge: no collectives in the body.
template <unsigned Batch, class U, class Body>
TEGU_DEVICE void for_each_in_range(const KeyList<U>& list, const SelectRange& range, Body body) {
    const U low = static_cast<U>(range.low);
    const U span = static_cast<U>(range.high - range.low);
    TEGU_NO_UNROLL
    for (std::uint32_t base = thread_index(); base < list.count; base += Batch * block_threads()) {
        U keys[Batch];
        TEGU_UNROLL
        for (unsigned j = 0; j < Batch; ++j) {
            const std::uint32_t i = base + j * block_threads();
            keys[j] = list.keys[i < list.count ? i : base];
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < Batch; ++j) {
            const std::uint32_t i = base + j * block_threads();
            const U offset = static_cast<U>(keys[j] - low);
            if (i < list.count && offset <= span) body(i, keys[j], offset);
        }
    }
}

// Counts the pairs in the bins of a range of keys. All threads call it; bins: [kSelectBins] shared.
template <class U>
TEGU_DEVICE void block_count_list(const KeyList<U>& list, const SelectRange& range, std::uint32_t* bins) {
    TEGU_NO_UNROLL
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) bins[bin] = 0;
    block_barrier();
    const unsigned shift = range.shift();
    for_each_in_range<kSelectBatch>(
        list, range, [&](std::uint32_t, U, U offset) { atomic_add(&bins[offset >> shift], 1u); });
    block_barrier();
}

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

// Collects the pairs of a range of keys in shared memory, in any order. Returns their number, at most
// `capacity`. All threads call it. REQUIRES: *used, which is shared, is 0.
template <class U>
TEGU_DEVICE unsigned block_collect_list(const KeyList<U>& list, const SelectRange& range, U* keys,
                                        std::uint64_t* indices, unsigned capacity, std::uint32_t* used) {
    for_each_in_range<kSelectBatch / 2>(list, range, [&](std::uint32_t i, U key, U) {
        const std::uint32_t slot = atomic_add(used, 1u);
        if (slot >= capacity) return;
        keys[slot] = key;
        indices[slot] = i;
    });
    block_barrier();
    const unsigned collected = *used < capacity ? *used : capacity;
    // Loads all at once, because single loads would be waited for one by one.
    TEGU_NO_UNROLL
    for (unsigned slot = thread_index(); slot < collected; slot += block_threads())
        indices[slot] = list.indices[indices[slot]];
    block_barrier();
    return collected;
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
