// SPDX-License-Identifier: Apache-2.0
// The end of reduce_float: warps become a team's result, teams a segment's, and that becomes statistics. One
// warp closes the sums while the next one closes the extremes, so neither waits for the other.
#pragma once

#include "kernels/statistics/cuda/finish.cuh"
#include "kernels/statistics/cuda/float_chunk.cuh"

namespace tegu {
namespace cuda {

// Kinds of partial results (kernels/statistics/cuda/team.cuh).
template <unsigned Parts>
struct FloatSumsKind {
    using Partial = FloatSums;
    static constexpr unsigned kWords = (Parts & kPartL1) ? 7 : (Parts & kPartMoments) ? 6 : 2;
    TEGU_DEVICE static void merge(FloatSums* a, const FloatSums& b) { merge_sums<Parts>(a, b); }
};
struct FloatOrderKind {
    using Partial = FloatOrder;
    static constexpr unsigned kWords = 7;
    TEGU_DEVICE static void merge(FloatOrder* a, const FloatOrder& b) { merge_order(a, b); }
};
static_assert((FloatSumsKind<kAllFloatParts>::kWords + 1 + FloatOrderKind::kWords + 1) * 8 <=
                  kReducePartialBytes,
              "a partial result has slots for its sums and for its extremes");

// The tree over the first `width` lanes; only the first of every `apart` lanes has the root of a tree. All
// lanes add facts. Lane 0 gets the result. REQUIRES: other lanes hold FloatSums().
template <unsigned Parts>
TEGU_DEVICE FloatSums fold_sums(FloatSums all, unsigned width, unsigned apart) {
    TEGU_NO_UNROLL
    for (unsigned mask = apart; mask < width; mask *= 2) {
        all.sum = all.sum + shuffle_xor(all.sum, mask);
        if (Parts & kPartL1) all.l1 = all.l1 + shuffle_xor(all.l1, mask);
        if (Parts & kPartMoments)
            join_moments(&all.n, &all.s, &all.q, shuffle_xor(all.n, mask), shuffle_xor(all.s, mask),
                         shuffle_xor(all.q, mask));
    }
    if (!warp_any((all.nans | all.facts) != 0)) return all;
    all.nans = warp_total(all.nans);
    all.facts = (warp_any((all.facts & kSawNan) != 0) ? kSawNan : 0u) |
                (warp_any((all.facts & kSawInfinity) != 0) ? kSawInfinity : 0u);
    return all;
}
// All lanes get the order of all.
TEGU_DEVICE FloatOrder fold_order(FloatOrder all) {
    warp_extremes(&all.min, &all.min_at, &all.max, &all.max_at);
    if (warp_any(all.nan_at != kNowhere)) {
        all.nan_at = warp_min(all.nan_at);
        all.nans = warp_total(all.nans);
    }
    all.zeros = warp_total(all.zeros);
    return all;
}

// Shared memory of a block: the ticket of its group, then the sums and the order of each warp.
template <unsigned Parts>
struct CloseMemory {
    using Sums = FloatSumsKind<Parts>;
    using Order = FloatOrderKind;
    static constexpr bool kOrders = (Parts & kPartOrder) != 0;
    static constexpr unsigned kWords = Sums::kWords + (kOrders ? Order::kWords : 0);  // of a warp

    std::uint64_t* ticket;

    static std::size_t bytes(unsigned warps) { return (1 + std::size_t{warps} * kWords) * 8; }
    TEGU_DEVICE std::uint64_t* end() const { return ticket + 1 + block_warps() * kWords; }
    TEGU_DEVICE std::uint64_t* sums(unsigned warp) const { return ticket + 1 + warp * kWords; }
    TEGU_DEVICE std::uint64_t* order(unsigned warp) const { return sums(warp) + Sums::kWords; }
};

// The warp of a team that closes the extremes.
TEGU_DEVICE unsigned order_warp(unsigned team_warps) {
    return team_warps > 1 ? 1 : 0;
}

// Leaves the facts of a warp for its team; `partial`: of all lanes.
template <unsigned Parts>
TEGU_DEVICE void leave_facts(const FloatPartial& partial, const CloseMemory<Parts>& memory) {
    if (lane_index() != 0) return;
    memory.sums(warp_index())[1] = partial.sums.nans;
    if (Parts & kPartMoments) memory.sums(warp_index())[5] = partial.sums.facts;
    if (Parts & kPartOrder) store_partial<FloatOrderKind>(memory.order(warp_index()), 0, partial.order);
}

// The result of a team from the roots of its chunks and the facts of its warps: sums in lane 0 of its first
// warp, order in all lanes of its order_warp(). All threads of the block call it, after a barrier.
template <unsigned Parts>
TEGU_DEVICE void close_team(const LaneNode& root, const TeamPosition& position, const ReduceShape& shape,
                            const CloseMemory<Parts>& memory, FloatSums* sums, FloatOrder* order) {
    using Sums = FloatSumsKind<Parts>;
    // warps of a chunk
    const unsigned apart = static_cast<unsigned>(kTilesPerChunk) >> log2_of(shape.tiles_per_warp);
    const unsigned team = warp_index() - position.warp;
    FloatSums own;
    own.sum = root.sum;
    if (Parts & kPartL1) own.l1 = root.l1;
    if (Parts & kPartMoments) {
        own.n = static_cast<double>(root.n);
        own.s = root.s;
        own.q = root.q;
    }
    if (shape.team_warps > apart) {
        if (lane_index() == 0) {
            own.nans = memory.sums(warp_index())[1];
            if (Parts & kPartMoments) own.facts = memory.sums(warp_index())[5];
            store_partial<Sums>(memory.sums(warp_index()), 0, own);
        }
        block_barrier();
    } else {
        warp_barrier();
    }
    const bool mine = lane_index() < shape.team_warps;
    if (position.warp == 0) {
        if (shape.team_warps > apart) {
            own = mine ? load_partial<Sums>(memory.sums(team + lane_index()), 0) : FloatSums();
        } else if (mine) {
            own.nans = memory.sums(team + lane_index())[1];
            if (Parts & kPartMoments) own.facts = memory.sums(team + lane_index())[5];
        }
        *sums = fold_sums<Parts>(own, shape.team_warps, apart);
    }
    if ((Parts & kPartOrder) && position.warp == order_warp(shape.team_warps))
        *order = fold_order(mine ? load_partial<FloatOrderKind>(memory.order(team + lane_index()), 0)
                                 : FloatOrder());
}

// The groups of a segment at one level of its closing (ReduceClosing).
struct FanPosition {
    std::uint64_t index;  // of the group
    std::uint64_t count;  // of groups
    unsigned bits;        // log2 of the fan

    TEGU_DEVICE std::uint64_t fan() const { return index >> bits; }
    TEGU_DEVICE std::uint64_t first() const { return fan() << bits; }
    TEGU_DEVICE unsigned here() const {
        const std::uint64_t left = count - first();
        return left >> bits != 0 ? 1u << bits : static_cast<unsigned>(left);
    }
    TEGU_DEVICE std::uint32_t take_ticket(std::uint32_t* tickets) const {
        return atomic_wrap(tickets + fan(), here() - 1);
    }
    TEGU_DEVICE FanPosition above() const {
        return FanPosition{fan(), (count + (1u << bits) - 1) >> bits, bits};
    }
};

// The ticket of the block's group, in thread 0. Taken before its tiles are read: the block that gets the last
// one waits for the others, which have begun.
TEGU_DEVICE std::uint32_t first_ticket(const TeamPosition& position, const ReduceShape& shape,
                                       const ReduceWork& work) {
    if (shape.groups == 1 || thread_index() != 0) return 0;
    const FanPosition at{position.group, shape.groups, log2_of(shape.closing.fan)};
    return at.take_ticket(work.tickets + position.slot * shape.closing.tickets);
}

// Gives lane 0 of the first warp the sums of a fan, and all lanes of the order warp its order. The block's
// own ones are in `sums` and `order`. All threads of the block call it.
template <unsigned Parts>
TEGU_DEVICE void gather_fan(const FanPosition& at, const PartialSlots<FloatSumsKind<Parts>>& sums_at,
                            const PartialSlots<FloatOrderKind>& order_at, const CloseMemory<Parts>& memory,
                            FloatSums* sums, FloatOrder* order) {
    constexpr bool kOrders = CloseMemory<Parts>::kOrders;
    const unsigned here = at.here();
    const bool few = here <= 2 * kWarpLanes;  // one warp takes the sums, one the order
    const unsigned leader = order_warp(block_warps());
    const unsigned warps = few ? 1 : kOrders ? block_warps() / 2 : block_warps();
    const unsigned side = warps * kWarpLanes;
    const unsigned begin = few ? leader : warps;  // first warp of the order's side
    const unsigned got = here > side ? (here + 1) / 2 : here;
    const unsigned width = got >= kWarpLanes ? kWarpLanes : got > 1 ? 2u << log2_of(got - 1) : 1;
    const auto own = static_cast<unsigned>(at.index - at.first());
    if (thread_index() == 0) store_partial<FloatSumsKind<Parts>>(memory.sums(0), 0, *sums);
    if (kOrders && warp_index() == leader && lane_index() == 0)
        store_partial<FloatOrderKind>(memory.order(0), 0, *order);
    if (few)
        warp_barrier();
    else
        block_barrier();
    if (warp_index() < warps)
        *sums = fold_sums<Parts>(
            gather_partials(sums_at, at.first(), here, own, memory.sums(0), thread_index(), side), width, 1);
    const unsigned in_side = warp_index() - begin;
    if (kOrders && in_side < warps)
        *order = fold_order(gather_partials(order_at, at.first(), here, own, memory.order(0),
                                            in_side * kWarpLanes + lane_index(), side));
    if (few) return;
    block_barrier();  // the own ones have been read
    if (lane_index() == 0) {
        if (warp_index() < warps) store_partial<FloatSumsKind<Parts>>(memory.sums(warp_index()), 0, *sums);
        if (kOrders && in_side < warps) store_partial<FloatOrderKind>(memory.order(in_side), 0, *order);
    }
    block_barrier();
    const bool mine = lane_index() < warps;
    if (warp_index() == 0)
        *sums = fold_sums<Parts>(
            mine ? load_partial<FloatSumsKind<Parts>>(memory.sums(lane_index()), 0) : FloatSums(), warps, 1);
    if (kOrders && warp_index() == leader)
        *order =
            fold_order(mine ? load_partial<FloatOrderKind>(memory.order(lane_index()), 0) : FloatOrder());
}

// Closes the segment of a block's only team. Returns false in all threads of a block that leaves its result
// to another one. Else `sums` and `order` become those of the segment, in the same warps. REQUIRES: several
// groups; the ticket is in shared memory. All threads of the block call it.
template <unsigned Parts>
TEGU_DEVICE bool close_groups(const TeamPosition& position, const ReduceShape& shape, const ReduceWork& work,
                              const CloseMemory<Parts>& memory, FloatSums* sums, FloatOrder* order) {
    using Sums = FloatSumsKind<Parts>;
    constexpr bool kOrders = CloseMemory<Parts>::kOrders;
    std::uint64_t* words = static_cast<std::uint64_t*>(work.partials) +
                           position.slot * shape.closing.partials * (kReducePartialBytes / 8);
    std::uint32_t* tickets = work.tickets + position.slot * shape.closing.tickets;
    FanPosition at{position.group, shape.groups, log2_of(shape.closing.fan)};
    TEGU_NO_UNROLL
    for (;;) {
        const PartialSlots<Sums> sums_at{words, at.count};
        words += at.count * PartialSlots<Sums>::kWords;
        const PartialSlots<FloatOrderKind> order_at{words, at.count};
        if (kOrders) words += at.count * PartialSlots<FloatOrderKind>::kWords;
        if (memory.ticket[0] != at.here() - 1) {
            if (thread_index() == 0) sums_at.leave(at.index, *sums);
            if (kOrders && warp_index() == order_warp(block_warps()) && lane_index() == 0)
                order_at.leave(at.index, *order);
            return false;
        }
        gather_fan<Parts>(at, sums_at, order_at, memory, sums, order);
        at = at.above();
        if (at.count == 1) return true;
        tickets += at.count;
        block_barrier();  // the previous ticket has been read
        if (thread_index() == 0) memory.ticket[0] = at.take_ticket(tickets);
        block_barrier();
    }
}

}  // namespace cuda
}  // namespace tegu
