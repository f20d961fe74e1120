// SPDX-License-Identifier: Apache-2.0
// The way from the partial results of warps to that of a sequence, for any kernel with one partial result a warp: teams of warps, groups, and the last
// block of a sequence. Everything merges neighbours in aligned pairs, so each is the canonical tree over what stands below.
//
// A kind of partial result P is a struct with
//   using Partial; static constexpr unsigned kWords;      what is moved: the first kWords 64-bit words of a Partial
//   static void merge(Partial* a, const Partial& b)       commutative to the bit; a Partial{} changes nothing
#pragma once

#include "kernels/cuda/reduce_load.cuh"
#include "kernels/cuda/words.cuh"

namespace tegu {
namespace cuda {

// Of a power of two: divisions by what only the launch knows would be slow.
TEGU_DEVICE unsigned log2_of(unsigned power) {
    return 31 - leading_zeros(power);
}

// What a warp works on.
struct TeamPlace {
    std::uint64_t group;  // in the sequence
    std::uint32_t slot;   // of the sequence, in the launch
    unsigned warp;        // in the team
    bool active;

    // A launch has less than 2^31 groups. `block`: block_x().
    TEGU_DEVICE TeamPlace(const ReduceShape& shape, const ReduceRange& range, unsigned block) {
        const unsigned team = log2_of(shape.team_warps);
        const std::uint32_t index = block * (block_warps() >> team) + (warp_index() >> team);
        const auto groups = static_cast<std::uint32_t>(range.group_count);
        warp = warp_index() & (shape.team_warps - 1);
        slot = groups == 1 ? index : range.count == 1 ? 0 : index / groups;
        group = range.first_group + (index - slot * groups);
        active = slot < range.count && group < range.first_group + range.group_count;
    }
    // In the warp that holds the result of the team.
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
TEGU_DEVICE void store_partial(std::uint64_t* words, std::uint64_t index, const typename P::Partial& partial) {
    std::uint64_t copy[P::kWords];
    memcpy(copy, &partial, sizeof copy);
    TEGU_UNROLL
    for (unsigned w = 0; w < P::kWords; ++w) words[index * P::kWords + w] = copy[w];
}

// The tree over the partial results of the first `width` lanes (a power of two): in all of them.
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

// The code from here to close_sequence() is run once a block and cold then: it is written to be short, with one place for every merge.

// The tree over the first `lanes` lanes of each warp, then over the warps of each team: in lane 0 of the team's first warp.
// shared: block_warps() * kWords words. All threads of the block call it.
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
            if (leads && lane_index() < team_warps) partial = load_partial<P>(shared, warp_index() + lane_index());
            width = leads ? team_warps : 1;
        }
        partial = warp_tree<P>(partial, width);
    }
    return partial;
}

// The threads of the block get the roots of equal, aligned parts of `count` partial results in global memory, which are overwritten: neighbours are merged
// until there is one for each thread. All threads of the block call it.
template <class P>
TEGU_DEVICE typename P::Partial gather_partials(std::uint64_t* words, std::uint64_t count) {
    const unsigned threads = block_threads();
    typename P::Partial mine;
    TEGU_NO_UNROLL
    for (bool last = false; !last; count = (count + 1) / 2) {
        last = count <= 2 * std::uint64_t{threads};
        const unsigned each = count > threads ? 2 : 1;
        const std::uint64_t left = each == 2 ? (count + 1) / 2 : count;
        TEGU_NO_UNROLL
        for (std::uint64_t base = 0; base < left; base += threads) {
            const std::uint64_t i = base + thread_index();
            mine = typename P::Partial();
            if (i < left) mine = load_partial<P>(words, each * i);
            if (each == 2 && 2 * i + 1 < count) P::merge(&mine, load_partial<P>(words, 2 * i + 1));
            if (last) break;
            block_barrier();  // place i is no longer needed by any thread
            if (i < left) store_partial<P>(words, i, mine);
            block_barrier();
        }
    }
    return mine;
}

// Stores what the block has (in thread 0) for the others that `ticket` counts. True in all threads of the last of them to do so, which sees what the
// others stored. All threads of the block call it.
template <class P>
TEGU_DEVICE bool leave_partial(std::uint64_t* words, std::uint64_t index, const typename P::Partial& partial,
                               std::uint32_t* ticket, std::uint32_t blocks) {
    bool last = false;
    if (thread_index() == 0) {  // which alone writes what others read, so that it alone needs fences
        store_partial<P>(words, index, partial);
        grid_fence();
        last = atomic_wrap(ticket, blocks - 1) == blocks - 1;
        grid_fence();
    }
    return block_any(last);
}

// From the first `lanes` lanes of the warps of a block to the sequences that they end: true in all threads of a block whose teams end one, and then lane 0
// of a team's first warp holds the partial result of the whole sequence. Of many groups the last block of every fan leaves one partial result for the
// last block of all (ReduceClosing). All threads of the block call it, once.
template <class P>
TEGU_DEVICE bool close_sequence(typename P::Partial* partial, unsigned lanes, const TeamPlace& place,
                                const ReduceShape& shape, const ReduceWork& work, std::uint64_t* shared) {
    const ReduceClosing& closing = shape.closing;
    std::uint64_t* words = static_cast<std::uint64_t*>(work.partials) + place.slot * closing.places * P::kWords;
    std::uint32_t* tickets = work.tickets + place.slot * closing.tickets;
    std::uint64_t index = place.group;
    std::uint64_t count = shape.groups;
    unsigned team_warps = shape.team_warps;
    TEGU_NO_UNROLL
    for (unsigned level = count == 1 ? 2 : closing.fans > 1 ? 0 : 1;; ++level) {
        *partial = team_tree<P>(*partial, lanes, team_warps, shared);
        if (level == 2) return true;
        const std::uint64_t fan = level == 0 ? index / kFanGroups : 0;
        const std::uint64_t left = count - fan * kFanGroups;
        const auto here = static_cast<std::uint32_t>(level == 0 && left > kFanGroups ? kFanGroups : left);
        if (!leave_partial<P>(words, index, *partial, tickets + fan, here)) return false;
        *partial = gather_partials<P>(words + fan * (kFanGroups * P::kWords), here);
        words += count * P::kWords;
        tickets += closing.fans;
        index = fan;
        count = closing.fans;
        lanes = kWarpLanes;
        team_warps = block_warps();
    }
}

// --- where extremes are -------------------------------------------------------------------------------------------------
// While a sequence is read its extremes are known by value and by tile. When it is complete, its team looks at the two tiles once more.

constexpr unsigned kLocateWords = 5;  // of shared memory, a warp

// The smallest and the largest element of a sequence: the value as 64 bits, and the first tile that has it; nowhere: ~0.
struct SoughtExtremes {
    std::uint64_t value[2];
    std::uint64_t tile[2];
};

// Gives the first warp of each team the indices of the first elements that equal the values; if bytes have changed, some indices of the tiles.
// `sought`: of lane 0 of the team's first warp. Equal::from(value) gives what Equal::to(x, that) compares with elements. Tiles have kTileRuns runs a lane.
// shared: kLocateWords words a warp. All threads of the block call it.
template <class Equal, class T, unsigned Run, class From>
TEGU_DEVICE SoughtExtremes locate_extremes(const SoughtExtremes& sought, const From& elements, const TeamPlace& place,
                                           unsigned team_warps, std::uint64_t* shared) {
    std::uint64_t* const words = shared + (warp_index() - place.warp) * kLocateWords;
    std::uint32_t* const found = reinterpret_cast<std::uint32_t*>(words + 4);
    block_barrier();  // what lay in shared memory has been read
    if (place.warp == 0 && lane_index() == 0) {
        TEGU_UNROLL
        for (unsigned i = 0; i < 2; ++i) {
            words[i] = sought.value[i];
            words[2 + i] = place.active ? sought.tile[i] : ~std::uint64_t{0};
            found[i] = ~std::uint32_t{0};
        }
    }
    block_barrier();
    TEGU_NO_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
        const std::uint64_t tile = words[2 + i];
        if (tile == ~std::uint64_t{0}) continue;
        const auto value = Equal::from(words[i]);
        TEGU_NO_UNROLL
        for (unsigned r = place.warp; r < kTileRuns; r += team_warps) {
            const unsigned begin = Run * (r * kWarpLanes + lane_index());
            T x[Run];
            const unsigned there = elements.load(tile * (kTileRuns * kWarpLanes * Run) + begin, x);
            unsigned at = Run;
            TEGU_UNROLL
            for (unsigned j = Run; j-- > 0;)
                if (j < there && Equal::to(x[j], value)) at = j;
            if (at < Run) atomic_min(found + i, begin + at);
        }
    }
    block_barrier();
    SoughtExtremes at = sought;
    TEGU_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
        const std::uint64_t tile = words[2 + i];
        const std::uint32_t first = found[i];
        at.tile[i] =
            tile == ~std::uint64_t{0} ? tile : tile * (kTileRuns * kWarpLanes * Run) + (~first == 0 ? 0 : first);
    }
    return at;
}

// Index of the first element of a run that equals `value`, or ~0 as the run is. If its bytes have changed, some index of the run.
template <class Equal, class T, unsigned Run>
TEGU_DEVICE std::uint64_t first_in_run(const RowElements<T, Run>& elements, std::uint64_t run, std::uint64_t value) {
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
