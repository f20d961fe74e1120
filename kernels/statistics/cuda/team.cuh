// SPDX-License-Identifier: Apache-2.0
// Merges the partial results of warps into that of a segment: in teams of warps, then in groups, then in the
// last block of a segment. Every merge takes adjacent, aligned pairs, so each result is the canonical tree
// over its inputs.
//
// A kind of partial result P is a struct with
//   using Partial;
//   static constexpr unsigned kWords;                  the first kWords 64-bit words of a Partial are moved
//   static void merge(Partial* a, const Partial& b)    commutative to the bit; Partial{} is neutral
#pragma once

#include "kernels/execution/cuda/words.cuh"
#include "kernels/statistics/cuda/load.cuh"

namespace tegu {
namespace cuda {

// Log2 of a power of two. Used because divisions by runtime values are slow.
TEGU_DEVICE unsigned log2_of(unsigned power) {
    return 31 - leading_zeros(power);
}

// The work of a warp.
struct TeamPosition {
    std::uint64_t group;  // in the segment
    std::uint32_t slot;   // of the segment, in the launch
    unsigned warp;        // in the team
    bool active;

    // REQUIRES: the launch has less than 2^31 groups. `block`: block_x().
    TEGU_DEVICE TeamPosition(const ReduceShape& shape, const ReduceRange& range, unsigned block) {
        const unsigned team = log2_of(shape.team_warps);
        const std::uint32_t index = block * (block_warps() >> team) + (warp_index() >> team);
        const auto groups = static_cast<std::uint32_t>(range.group_count);
        warp = warp_index() & (shape.team_warps - 1);
        slot = groups == 1 ? index : range.count == 1 ? 0 : index / groups;
        group = range.first_group + (index - slot * groups);
        active = slot < range.count && group < range.first_group + range.group_count;
    }
    // Returns true in the warp that holds the result of the team.
    TEGU_DEVICE bool leads() const { return active && warp == 0; }
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
TEGU_DEVICE void store_partial(std::uint64_t* words, std::uint64_t index,
                               const typename P::Partial& partial) {
    std::uint64_t copy[P::kWords];
    memcpy(copy, &partial, sizeof copy);
    TEGU_UNROLL
    for (unsigned w = 0; w < P::kWords; ++w) words[index * P::kWords + w] = copy[w];
}

// The tree over the partial results of the first `width` lanes (a power of two). All of them get the root.
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

// The code from here to close_segment() runs once for each block, from a cold instruction cache. So it is
// short, with a single merge.

// The tree over the first `lanes` lanes of each warp, then over the warps of each team. Lane 0 of the team's
// first warp gets the root. shared: block_warps() * kWords words. All threads of the block call it.
template <class P>
TEGU_DEVICE typename P::Partial team_tree(typename P::Partial partial, unsigned lanes, unsigned team_warps,
                                          std::uint64_t* shared) {
    TEGU_NO_UNROLL
    for (unsigned stage = 0; stage < 2; ++stage) {
        unsigned width = lanes;
        if (stage == 1) {
            if (team_warps == 1) break;
            block_barrier();  // what lay in shared memory has been read
            if (lane_index() == 0) store_partial<P>(shared, warp_index(), partial);
            block_barrier();
            const bool leads = (warp_index() & (team_warps - 1)) == 0;
            partial = typename P::Partial();
            if (leads && lane_index() < team_warps)
                partial = load_partial<P>(shared, warp_index() + lane_index());
            width = leads ? team_warps : 1;
        }
        partial = warp_tree<P>(partial, width);
    }
    return partial;
}

// Memory for `slots` partial results that one block leaves for another. Each is a key and the words of the
// result combined with it by exclusive or; the words of one result are `slots` apart.
//
// The key makes every word nonzero, and all words are zero before and after. So a reader that finds no zero
// word has the complete result, in any order of arrival. No block waits for its stores or for a fence.
template <class P>
struct PartialSlots {
    static constexpr unsigned kWords = P::kWords + 1;
    static_assert(kWords * 8 <= kReducePartialBytes, "a slot holds a key and a partial result");

    std::uint64_t* words;
    std::uint64_t slots;

    TEGU_DEVICE volatile std::uint64_t& word(std::uint64_t slot, unsigned w) const {
        return words[w * slots + slot];
    }

    TEGU_DEVICE void leave(std::uint64_t slot, const typename P::Partial& partial) const {
        std::uint64_t copy[P::kWords];
        memcpy(copy, &partial, sizeof copy);
        std::uint64_t key = 0x9e3779b97f4a7c15;
        bool taken = true;
        TEGU_NO_UNROLL
        while (taken) {
            taken = false;
            ++key;
            TEGU_UNROLL
            for (unsigned w = 0; w < P::kWords; ++w) taken |= copy[w] == key;
        }
        word(slot, P::kWords) = key;
        TEGU_UNROLL
        for (unsigned w = 0; w < P::kWords; ++w) word(slot, w) = copy[w] ^ key;
    }
    // Waits for the complete result, then sets its words to zero.
    TEGU_DEVICE typename P::Partial take(std::uint64_t slot) const {
        std::uint64_t raw[kWords];
        bool there = false;
        TEGU_NO_UNROLL
        while (!there) {
            there = true;
            TEGU_UNROLL
            for (unsigned w = 0; w < kWords; ++w) raw[w] = word(slot, w);
            TEGU_UNROLL
            for (unsigned w = 0; w < kWords; ++w) there &= raw[w] != 0;
        }
        std::uint64_t copy[P::kWords];
        TEGU_UNROLL
        for (unsigned w = 0; w < P::kWords; ++w) copy[w] = raw[w] ^ raw[P::kWords];
        TEGU_UNROLL
        for (unsigned w = 0; w < kWords; ++w) word(slot, w) = 0;
        typename P::Partial partial;
        memcpy(static_cast<void*>(&partial), copy, sizeof copy);
        return partial;
    }
};

// Gives each of `threads` threads the root of an equal, aligned part of `count` partial results, at most two
// a thread, from index `first` on. Waits until they are complete. The result at first + own is in
// `own_words`. Whole warps call it.
template <class P>
TEGU_DEVICE typename P::Partial gather_partials(const PartialSlots<P>& from, std::uint64_t first,
                                                unsigned count, unsigned own, const std::uint64_t* own_words,
                                                unsigned thread, unsigned threads) {
    const unsigned each = count > threads ? 2 : 1;
    typename P::Partial mine;
    TEGU_NO_UNROLL
    for (unsigned i = each * thread, k = 0; k < each && i < count; ++k, ++i) {
        const typename P::Partial one = i == own ? load_partial<P>(own_words, 0) : from.take(first + i);
        if (k == 0)
            mine = one;
        else
            P::merge(&mine, one);
    }
    warp_barrier();  // each lane waited for its own results
    return mine;
}

// Merges the first `lanes` lanes of a block's warps into the segments that they complete. Returns true in all
// threads of a block whose teams complete a segment. Lane 0 of a team's first warp then has the partial
// result of the segment.
//
// With several groups, the last block to arrive closes each fan (ReduceClosing); all others have then sent
// their ticket. All threads of the block call it, once.
template <class P>
TEGU_DEVICE bool close_segment(typename P::Partial* partial, unsigned lanes, const TeamPosition& position,
                               const ReduceShape& shape, const ReduceWork& work, std::uint64_t* shared) {
    const ReduceClosing& closing = shape.closing;
    std::uint64_t* words = static_cast<std::uint64_t*>(work.partials) +
                           position.slot * closing.partials * PartialSlots<P>::kWords;
    std::uint32_t* tickets = work.tickets + position.slot * closing.tickets;
    std::uint64_t index = position.group;
    std::uint64_t count = shape.groups;
    unsigned team_warps = shape.team_warps;
    TEGU_NO_UNROLL
    for (;;) {
        const unsigned fan_bits = log2_of(closing.fan);
        const std::uint64_t fan = index >> fan_bits;
        const std::uint64_t left = count - (fan << fan_bits);
        const unsigned here = left < closing.fan ? static_cast<unsigned>(left) : closing.fan;
        std::uint32_t before = ~std::uint32_t{0};
        if (count > 1 && thread_index() == 0)
            before = atomic_wrap(tickets + fan, here - 1);  // on its way while the tree is made
        *partial = team_tree<P>(*partial, lanes, team_warps, shared);
        if (count == 1) return true;
        const bool closes = before == here - 1;
        const PartialSlots<P> left_at{words, count};
        if (thread_index() == 0) {
            if (closes)
                store_partial<P>(shared, 0, *partial);
            else
                left_at.leave(index, *partial);
        }
        if (!block_any(closes)) return false;
        *partial = gather_partials<P>(left_at, fan << fan_bits, here,
                                      static_cast<unsigned>(index - (fan << fan_bits)), shared,
                                      thread_index(), block_threads());
        words += count * PartialSlots<P>::kWords;
        count = (count + closing.fan - 1) >> fan_bits;
        tickets += count;
        index = fan;
        const unsigned got = here > block_threads() ? (here + 1) / 2 : here;
        const unsigned width = got > 1 ? 2u << log2_of(got - 1) : 1;
        lanes = width < kWarpLanes ? width : kWarpLanes;
        team_warps = width / lanes;
    }
}

// --- positions of extremes
// During the pass, extremes are kept by value and tile. When a segment is complete, its team reads the two
// tiles again to find the positions.

constexpr unsigned kLocateWords = 5;  // of shared memory, a warp

// The smallest and the largest element of a segment: the value as 64 bits, and the first tile that has it;
// ~0: none.
struct SoughtExtremes {
    std::uint64_t value[2];
    std::uint64_t tile[2];
};

// Shows the team's warps the extremes that they search. `sought`: of lane 0 of the team's first warp. shared:
// kLocateWords words a warp. All threads of the block call it, then locate_extremes().
TEGU_DEVICE void show_extremes(const SoughtExtremes& sought, const TeamPosition& position,
                               std::uint64_t* shared) {
    std::uint64_t* const words = shared + (warp_index() - position.warp) * kLocateWords;
    std::uint32_t* const found = reinterpret_cast<std::uint32_t*>(words + 4);
    block_barrier();  // what lay in shared memory has been read
    if (position.warp == 0 && lane_index() == 0) {
        TEGU_UNROLL
        for (unsigned i = 0; i < 2; ++i) {
            words[i] = sought.value[i];
            words[2 + i] = position.active ? sought.tile[i] : ~std::uint64_t{0};
            found[i] = ~std::uint32_t{0};
        }
    }
    block_barrier();
}

// Gives the first warp of each team the indices of the first elements that equal the values. If bytes have
// changed, these are some indices of the tiles. In a large team the first warp has other work meanwhile.
//
// Equal::to(x, Equal::from(value)) compares an element with a value. Tiles have kTileRuns runs for each lane.
template <class Equal, class T, unsigned Run, class From>
TEGU_DEVICE SoughtExtremes locate_extremes(const SoughtExtremes& sought, const From& elements,
                                           const TeamPosition& position, unsigned team_warps,
                                           std::uint64_t* shared) {
    std::uint64_t* const words = shared + (warp_index() - position.warp) * kLocateWords;
    std::uint32_t* const found = reinterpret_cast<std::uint32_t*>(words + 4);
    const unsigned leading = team_warps >= 8 ? 1 : 0;
    const unsigned helpers = team_warps - leading;
    const unsigned begin = position.warp >= leading ? position.warp - leading : 2 * kTileRuns;
    constexpr unsigned kAtOnce = 4;  // loads in flight
    TEGU_NO_UNROLL
    for (unsigned first = begin; first < 2 * kTileRuns; first += kAtOnce * helpers) {
        T x[kAtOnce][Run];
        unsigned there[kAtOnce];
        TEGU_UNROLL
        for (unsigned k = 0; k < kAtOnce; ++k) {
            const unsigned r = first + k * helpers;
            const std::uint64_t tile = r < 2 * kTileRuns ? words[2 + r / kTileRuns] : ~std::uint64_t{0};
            there[k] = 0;
            if (tile != ~std::uint64_t{0})
                there[k] = elements.load(
                    tile * (kTileRuns * kWarpLanes * Run) + Run * (r % kTileRuns * kWarpLanes + lane_index()),
                    x[k]);
        }
        TEGU_UNROLL
        for (unsigned k = 0; k < kAtOnce; ++k) {
            if (there[k] == 0) continue;
            const unsigned r = first + k * helpers;
            const auto value = Equal::from(words[r / kTileRuns]);
            unsigned at = Run;
            TEGU_UNROLL
            for (unsigned j = Run; j-- > 0;)
                if (j < there[k] && Equal::to(x[k][j], value)) at = j;
            if (at < Run)
                atomic_min(found + r / kTileRuns, Run * (r % kTileRuns * kWarpLanes + lane_index()) + at);
        }
    }
    block_barrier();
    SoughtExtremes at = sought;
    TEGU_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
        const std::uint64_t tile = words[2 + i];
        const std::uint32_t first = found[i];
        at.tile[i] = tile == ~std::uint64_t{0}
                         ? tile
                         : tile * (kTileRuns * kWarpLanes * Run) + (~first == 0 ? 0 : first);
    }
    return at;
}

// Index of the first element of a run that equals `value`; ~0 for run ~0. If its bytes have changed, some
// index of the run.
template <class Equal, class T, unsigned Run, class From>
TEGU_DEVICE std::uint64_t first_in_run(const From& elements, std::uint64_t run, std::uint64_t value) {
    if (run == ~std::uint64_t{0}) return run;
    T x[Run];
    const unsigned there = elements.load(Run * run, x);
    unsigned at = 0;
    TEGU_UNROLL
    for (unsigned j = Run; j-- > 0;)
        if (j < there && Equal::to(x[j], Equal::from(value))) at = j;
    return Run * run + at;
}

}  // namespace cuda
}  // namespace tegu
