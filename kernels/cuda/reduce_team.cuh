// SPDX-License-Identifier: Apache-2.0
// The way from the partial results of warps to that of a sequence, for any kernel with one partial result a warp: teams of warps, groups, and the last
// block of a sequence. Everything merges neighbours in aligned pairs, so each is the canonical tree over what stands below.
//
// A kind of partial result P is a struct with
//   using Partial; static constexpr unsigned kWords;      what is moved: the first kWords 64-bit words of a Partial
//   static void merge(Partial* a, const Partial& b)       commutative to the bit; a Partial{} changes nothing
#pragma once

#include "kernels/cuda/reduce.h"
#include "kernels/cuda/simt.cuh"

namespace tegu {
namespace cuda {

// Of a power of two: divisions by what only the launch knows would be slow.
TEGU_DEVICE unsigned log2_of(unsigned power) {
    return 31 - leading_zeros(power);
}

// What a warp works on.
struct TeamPlace {
    std::uint64_t slot;   // of the sequence, in the launch
    std::uint64_t group;  // in the sequence
    unsigned warp;        // in the team
    bool active;

    TEGU_DEVICE TeamPlace(const ReduceShape& shape, const ReduceRange& range) {
        const unsigned team = log2_of(shape.team_warps);
        const std::uint64_t index = std::uint64_t{block_x()} * (block_warps() >> team) + (warp_index() >> team);
        warp = warp_index() & (shape.team_warps - 1);
        slot = range.group_count == 1 ? index : range.count == 1 ? 0 : index / range.group_count;
        group = range.first_group + (index - slot * range.group_count);
        active = slot < range.count && group < range.first_group + range.group_count;
    }
    TEGU_DEVICE bool leads() const { return active && warp == 0 && lane_index() == 0; }
};

template <class P>
TEGU_DEVICE typename P::Partial load_partial(const std::uint64_t* words, std::uint64_t index) {
    typename P::Partial partial;
    std::uint64_t copy[P::kWords];
    TEGU_UNROLL
    for (unsigned w = 0; w < P::kWords; ++w) copy[w] = words[index * P::kWords + w];
    memcpy(static_cast<void*>(&partial), copy, sizeof copy);
    return partial;
}

template <class P>
TEGU_DEVICE void store_partial(std::uint64_t* words, std::uint64_t index, const typename P::Partial& partial) {
    std::uint64_t copy[P::kWords];
    memcpy(copy, &partial, sizeof copy);
    TEGU_UNROLL
    for (unsigned w = 0; w < P::kWords; ++w) words[index * P::kWords + w] = copy[w];
}

// The tree over the partial results of the first `width` lanes (a power of two), in lane 0.
template <class P>
TEGU_DEVICE typename P::Partial warp_tree(typename P::Partial partial, unsigned width) {
    TEGU_NO_UNROLL
    for (unsigned mask = 1; mask < width; mask *= 2) {
        std::uint64_t words[P::kWords];
        memcpy(words, &partial, sizeof words);
        TEGU_UNROLL
        for (unsigned w = 0; w < P::kWords; ++w) words[w] = shuffle_xor(words[w], mask);
        typename P::Partial other;
        memcpy(static_cast<void*>(&other), words, sizeof words);
        P::merge(&partial, other);
    }
    return partial;
}

// The tree over the warps of each team, from lane 0 of each warp to lane 0 of the team's first warp.
// shared: block_warps() * kWords words. All threads of the block call it.
template <class P>
TEGU_DEVICE typename P::Partial team_tree(typename P::Partial partial, unsigned team_warps, std::uint64_t* shared) {
    if (team_warps == 1) return partial;
    block_barrier();  // what lay in shared memory has been read
    if (lane_index() == 0) store_partial<P>(shared, warp_index(), partial);
    block_barrier();
    if ((warp_index() & (team_warps - 1)) != 0) return partial;
    partial = typename P::Partial();
    if (lane_index() < team_warps) partial = load_partial<P>(shared, warp_index() + lane_index());
    return warp_tree<P>(partial, team_warps);
}

// ((0 + 1) + (2 + 3)) of the partial results from `first` on, as far as there are any.
template <class P>
TEGU_DEVICE typename P::Partial merge_four(const std::uint64_t* words, std::uint64_t first, std::uint64_t count) {
    typename P::Partial left;
    typename P::Partial right;
    if (first < count) left = load_partial<P>(words, first);
    if (first + 1 < count) P::merge(&left, load_partial<P>(words, first + 1));
    if (first + 2 < count) right = load_partial<P>(words, first + 2);
    if (first + 3 < count) P::merge(&right, load_partial<P>(words, first + 3));
    P::merge(&left, right);
    return left;
}

// The tree over `count` partial results in global memory, which it overwrites: in thread 0. All threads of the block call it.
template <class P>
TEGU_DEVICE typename P::Partial block_tree(std::uint64_t* words, std::uint64_t count, std::uint64_t* shared) {
    const unsigned threads = block_threads();
    while (count > 4 * std::uint64_t{threads}) {
        const std::uint64_t fours = (count + 3) / 4;
        for (std::uint64_t base = 0; base < fours; base += threads) {
            const std::uint64_t i = base + thread_index();
            typename P::Partial merged;
            if (i < fours) merged = merge_four<P>(words, 4 * i, count);
            block_barrier();  // place i is no longer needed by any thread
            if (i < fours) store_partial<P>(words, i, merged);
            block_barrier();
        }
        count = fours;
    }
    typename P::Partial partial;
    if (count > threads)
        partial = merge_four<P>(words, 4 * std::uint64_t{thread_index()}, count);
    else if (thread_index() < count)
        partial = load_partial<P>(words, thread_index());
    partial = warp_tree<P>(partial, kWarpLanes);
    return team_tree<P>(partial, block_warps(), shared);
}

// From the warps of a block to the sequences that they end: true in the one thread that then holds the partial result of the whole sequence.
// All threads of the block call it, once.
template <class P>
TEGU_DEVICE bool close_sequence(typename P::Partial* partial, const TeamPlace& place, const ReduceShape& shape,
                                const ReduceWork& work, std::uint64_t* shared) {
    *partial = team_tree<P>(*partial, shape.team_warps, shared);
    if (shape.groups == 1) return place.leads();
    std::uint64_t* const words = static_cast<std::uint64_t*>(work.partials) + place.slot * shape.groups * P::kWords;
    bool last = false;
    if (place.leads()) {  // thread 0, which alone writes what others read, so that it alone needs fences
        store_partial<P>(words, place.group, *partial);
        grid_fence();
        const auto before_last = static_cast<std::uint32_t>(shape.groups - 1);
        last = atomic_wrap(work.tickets + place.slot, before_last) == before_last;
        grid_fence();
    }
    if (!block_any(last)) return false;
    *partial = block_tree<P>(words, shape.groups, shared);
    return place.leads();
}

}  // namespace cuda
}  // namespace tegu
