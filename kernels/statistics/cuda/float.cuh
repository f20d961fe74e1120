// SPDX-License-Identifier: Apache-2.0
// The kernel of float statistics: groups of tiles by teams of warps. The kernel for short rows is in
// kernels/statistics/cuda/float_rows.cuh.
#pragma once

#include "kernels/statistics/cuda/float_close.cuh"
#include "kernels/statistics/cuda/float_leaf.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kFloatMaxTiles = 16;
constexpr unsigned kFloatMaxThreads = 512;

// The largest block of a kernel, and the minimum of such blocks on a multiprocessor, which limits the
// registers. 128 are enough for elements of 32 bits, 64 for their sums.
template <class T, unsigned Parts, bool Dense>
struct FloatBlocks {
    static constexpr unsigned kThreads = sizeof(T) == 8 ? 128 : kFloatMaxThreads / kBlocksForRegisters;
    static constexpr unsigned kBlocks =
        sizeof(T) == 8 ? 3 : (Parts == 0 && Dense ? 2 : 1) * kBlocksForRegisters;
};

// Loads the elements of a lane in the tile that begins at element `begin`; missing elements become zero.
// Returns a mask of the existing elements: bit 4 r + j.
template <class T, class From>
TEGU_DEVICE std::uint32_t load_tile(const From& elements, std::uint64_t begin,
                                    T (&x)[kTileRuns * kFloatRun]) {
    const std::uint64_t self = begin + kFloatRun * lane_index();
    if (elements.n - begin >= kFloatTile) {
        TEGU_UNROLL
        for (unsigned r = 0; r < kTileRuns; ++r) elements.load_run(self + r * kFloatRow, x + r * kFloatRun);
        return ~std::uint32_t{0};
    }
    std::uint32_t there = 0;
    unsigned torn = kTileRuns;  // the run with some missing elements, if any
    TEGU_UNROLL
    for (unsigned r = 0; r < kTileRuns; ++r) {
        const unsigned count = elements.count(self + r * kFloatRow);
        there |= ((1u << count) - 1u) << (r * kFloatRun);
        if (count == kFloatRun) {
            elements.load_run(self + r * kFloatRow, x + r * kFloatRun);
            continue;
        }
        if (count != 0) torn = r;
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) x[r * kFloatRun + j] = T();
    }
    if (torn == kTileRuns) return there;
    T run[kFloatRun];
    elements.load(self + torn * kFloatRow, run);
    TEGU_UNROLL
    for (unsigned i = 0; i < kTileRuns * kFloatRun; ++i)
        if (i / kFloatRun == torn) x[i] = run[i % kFloatRun];
    return there;
}

// The index of the first element of a tile that equals `value`, in all lanes. If bytes have changed, some
// index of the tile. x, there: from load_tile().
template <class A, class T>
TEGU_DEVICE std::uint64_t first_in_tile(const T (&x)[kTileRuns * kFloatRun], std::uint32_t there,
                                        std::uint64_t tile, double value) {
    std::uint32_t at = kFloatTile;
    TEGU_UNROLL
    for (unsigned i = kTileRuns * kFloatRun; i-- > 0;)
        if (((there >> i) & 1u) != 0 && widen(x[i]) == static_cast<A>(value))
            at = i / kFloatRun * kFloatRow + i % kFloatRun;
    at = warp_min(at == kFloatTile ? at : at + kFloatRun * lane_index());
    return tile * kFloatTile + (at == kFloatTile ? 0 : at);
}
// Replaces the tiles of the extremes by the indices of the first elements that equal them. All lanes of a
// warp call it with the same order.
template <class T, class From>
TEGU_DEVICE void locate_order(const From& elements, FloatOrder* order) {
    using A = typename Arithmetic<T>::type;
    if (order->min_at == kNowhere || order->max_at == kNowhere) return;
    T low[kTileRuns * kFloatRun];
    T high[kTileRuns * kFloatRun];
    const std::uint64_t begin = kFloatTile;
    const std::uint32_t low_there = load_tile(elements, order->min_at * begin, low);
    if (sizeof(T) == 8)  // two tiles need too many registers
        order->min_at = first_in_tile<A>(low, low_there, order->min_at, order->min);
    const std::uint32_t high_there = load_tile(elements, order->max_at * begin, high);
    if (sizeof(T) < 8) order->min_at = first_in_tile<A>(low, low_there, order->min_at, order->min);
    order->max_at = first_in_tile<A>(high, high_there, order->max_at, order->max);
}

// `base`: the index of the warp's first element; `first_leaf`: the number of its first leaf in the segment.
template <unsigned Parts, class A>
TEGU_DEVICE FloatPartial partial_of(const LaneNode& node, const LaneFacts<A>& facts, bool nans_decide,
                                    std::uint64_t base, std::uint64_t first_leaf) {
    FloatPartial partial;
    partial.sums.sum = node.sum;
    partial.sums.nans = facts.rare % kInfiniteLeaf;
    if (Parts & kPartL1) partial.sums.l1 = node.l1;
    if (Parts & kPartMoments) {
        partial.sums.n = static_cast<double>(node.n);
        partial.sums.s = node.s;
        partial.sums.q = node.q;
        partial.sums.facts = (facts.rare >= kInfiniteLeaf ? kSawInfinity : 0u) |
                             (nans_decide && partial.sums.nans != 0 ? kSawNan : 0u);
    }
    if (Parts & kPartOrder) {
        partial.order.min = static_cast<double>(facts.min);
        partial.order.max = static_cast<double>(facts.max);
        partial.order.min_at = facts.min_in == kNotFound ? kNowhere : first_leaf + facts.min_in;
        partial.order.max_at = facts.max_in == kNotFound ? kNowhere : first_leaf + facts.max_in;
        partial.order.nan_at = facts.nan_at == kNotFound ? kNowhere : base + facts.nan_at;
        partial.order.zeros = facts.zeros;
        partial.order.nans = partial.sums.nans;
    }
    return partial;
}

// What else a kernel does with the elements of full tiles while lanes hold them: nothing.
struct NothingBeside {
    // Returns what is left for take_rest(), which comes when the registers of the tile are free.
    template <class Raw>
    TEGU_DEVICE std::uint32_t take(const Raw&, std::uint32_t) const {
        return 0;
    }
    template <class From>
    TEGU_DEVICE void take_rest(std::uint32_t, const From&, std::uint64_t) const {}
};

// The tiles of a warp, from element `base` on, which exists.
template <unsigned Parts, class T, class From, class Beside>
struct TileSweep {
    using A = typename Arithmetic<T>::type;
    using Raw = T[kTileRuns * kFloatRun];

    const From& elements;
    std::uint64_t base;
    unsigned tiles;
    bool skip_nans;
    std::uint64_t* waiting;
    LaneFacts<A>* facts;
    const Beside& beside;

    TEGU_DEVICE bool has(unsigned t) const { return t < tiles && base + t * kFloatTile < elements.n; }
    TEGU_DEVICE std::uint32_t load(unsigned t, Raw& x) const {
        return load_tile(elements, base + t * kFloatTile, x);
    }
    // The node of tile t; `there` is the mask of the elements that exist in x.
    TEGU_DEVICE LaneNode take(unsigned t, const Raw& x, std::uint32_t there) const {
        const std::uint32_t left = beside.take(x, there);
        Leaf<A, kTileRuns> leaf;
        leaf.mask = there;
        TEGU_UNROLL
        for (unsigned i = 0; i < leaf.kElements; ++i) leaf.x[i] = widen(x[i]);
        const unsigned first = t * kFloatTile + kFloatRun * lane_index();
        const WideLeaf<T, kTileRuns, From> wide(elements, base + first);
        const LaneNode node = take_leaf<Parts>(leaf, wide, t, first, skip_nans, facts);
        beside.take_rest(left, elements, base + first);
        return node;
    }
    TEGU_DEVICE LaneNode one_by_one() const {
        LaneNode node{0, 0, 0, 0, 0};
        TEGU_NO_UNROLL
        for (unsigned t = 0; t < tiles; ++t) {
            node = LaneNode{0, 0, 0, 0, 0};
            if (has(t)) {
                Raw x;
                const std::uint32_t there = load(t, x);
                node = take(t, x, there);
            }
            node = push_node<Parts>(node, t, t + 1 == tiles, waiting);
        }
        return node;
    }
    // Loads each tile while the previous one is computed.
    TEGU_DEVICE LaneNode loading_ahead() const {
        LaneNode node{0, 0, 0, 0, 0};
        Raw x;
        Raw ahead;
        std::uint32_t there = 0;
        std::uint32_t there_ahead = 0;
        TEGU_NO_UNROLL
        for (unsigned t = 0; t <= tiles; ++t) {
            memcpy(x, ahead, sizeof x);
            there = there_ahead;
            if (has(t)) there_ahead = load(t, ahead);
            if (t == 0) continue;
            node = LaneNode{0, 0, 0, 0, 0};
            if (has(t - 1)) node = take(t - 1, x, there);
            node = push_node<Parts>(node, t - 1, t == tiles, waiting);
        }
        return node;
    }
    // The root of all tiles. Sums without other parts leave registers for more warps, and two tiles of f64
    // would need too many registers.
    TEGU_DEVICE LaneNode root() const { return Parts != 0 && sizeof(T) < 8 ? loading_ahead() : one_by_one(); }
};

// Runs a kernel with one way of access to the elements.
template <class T, unsigned Parts, class From, class Beside = NothingBeside>
TEGU_DEVICE void reduce_group(const Segments& input, bool packs, const ReduceTarget& target,
                              const ReduceWork& work, const ReduceShape& shape, const ReduceRange& range,
                              std::uint64_t* shared, const Beside& beside = Beside()) {
    const CloseMemory<Parts> memory{shared};
    LaneNode node{0, 0, 0, 0, 0};
    std::uint32_t ticket;
    {
        const TeamPosition position(shape, range, block_x());
        ticket = first_ticket(position, shape, work);
        const From elements(input, range.first + position.slot, packs);
        const std::uint64_t first_tile =
            (position.group * shape.team_warps + position.warp) * shape.tiles_per_warp;
        const std::uint64_t base = first_tile * kFloatTile;
        LaneFacts<typename Arithmetic<T>::type> facts;
        if (position.active && base < elements.n)
            node =
                TileSweep<Parts, T, From, Beside>{
                    elements, base, shape.tiles_per_warp, target.skip_nans, memory.end(), &facts, beside}
                    .root();
        fold_warp_facts<Parts>(&facts);
        leave_facts<Parts>(partial_of<Parts>(node, facts, !target.skip_nans, base, first_tile), memory);
    }
    if (thread_index() == 0) memory.ticket[0] = ticket;
    node = chunk_tree<Parts>(node, shape, memory.end());
    // Recomputes the position in a form that the compiler cannot merge with the first. So no register holds
    // it while tiles are read.
    const TeamPosition position(shape, range, shuffle(block_x(), 0));
    FloatSums sums;
    FloatOrder order;
    close_team<Parts>(node, position, shape, memory, &sums, &order);
    if (shape.groups > 1 && !close_groups<Parts>(position, shape, work, memory, &sums, &order)) return;
    if (!position.active) return;
    const std::uint64_t segment = range.first + position.slot;
    if (position.warp == 0) {
        const FloatRatios ratios = warp_ratios_of<Parts>(target, sums);
        if (lane_index() == 0) put_float_sums<Parts>(target, segment, sums, ratios);
    }
    if (!(Parts & kPartOrder) || position.warp != order_warp(shape.team_warps)) return;
    if (target.column[kColumnArgmin] != nullptr || target.column[kColumnArgmax] != nullptr)
        locate_order<T>(From(input, segment, packs), &order);
    if (lane_index() == 0) put_extremes<T>(target, segment, order);
}

// reduce_float: statistics of segments of floats, a group of tiles by each team of warps. Dense: no gaps,
// and runs are packs.
// in:    input [segments, n] T
// out:   target columns; work.partials where a segment has several groups
// grid:  x = groups of the launch / teams
// block: shape.threads (32..FloatBlocks<T, Parts, Dense>::kThreads)
// shared: float_group_bytes<Parts>()
// result valid in: target, after the last launch of a segment
// moves: reads n sizeof(T) B a segment            order: the canonical tree, whatever the shape
// why:   a tile is eight 16-byte loads in flight for each lane. Its elements stay in registers for the second
//        pass, over deviations. A lane keeps the value and the tile of extremes; only the last team searches
//        their position in the tile
template <class T, unsigned Parts, bool Dense>
TEGU_KERNEL TEGU_BOUNDS2((FloatBlocks<T, Parts, Dense>::kThreads), (FloatBlocks<T, Parts, Dense>::kBlocks))
    reduce_float(Segments input, bool packs, ReduceTarget target, ReduceWork work, ReduceShape shape,
                 ReduceRange range) {
    TEGU_DYNAMIC_SHARED(memory);
    std::uint64_t* const shared = reinterpret_cast<std::uint64_t*>(memory);
    if (Dense)
        reduce_group<T, Parts, DenseElements<T, kFloatRun>>(input, packs, target, work, shape, range, shared);
    else
        reduce_group<T, Parts, Elements<T, kFloatRun>>(input, packs, target, work, shape, range, shared);
}

template <unsigned Parts>
std::size_t float_group_bytes(const ReduceShape& shape) {
    return CloseMemory<Parts>::bytes(shape.threads / kWarpLanes) + FloatKind<Parts>::shared_bytes(shape);
}

}  // namespace cuda
}  // namespace tegu
