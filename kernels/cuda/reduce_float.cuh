// SPDX-License-Identifier: Apache-2.0
// The kernels of float statistics: groups of tiles by teams of warps, and short rows by segments of a warp.
#pragma once

#include "kernels/cuda/reduce_finish.cuh"
#include "kernels/cuda/reduce_float_leaf.cuh"
#include "kernels/cuda/reduce_team.cuh"

namespace tegu {
namespace cuda {

template <unsigned Parts>
struct FloatKind {
    using Partial = FloatPartial;
    static constexpr unsigned kWords = FloatPartialWords<Parts>::kCount;
    static constexpr unsigned kNodeWords = 1 + ((Parts & kPartL1) ? 1 : 0) + ((Parts & kPartMoments) ? 3 : 0);

    TEGU_DEVICE static void merge(FloatPartial* a, const FloatPartial& b) { merge_into<Parts>(a, b); }
    static std::size_t shared_bytes(const ReduceShape& shape) {
        if (shape.team_warps == 1) return 0;
        return std::size_t{shape.threads} * (kNodeWords * 8) > std::size_t{shape.threads} / 32 * kWords * 8
                   ? std::size_t{shape.threads} * (kNodeWords * 8)
                   : std::size_t{shape.threads} / 32 * kWords * 8;
    }
};

constexpr unsigned kFloatLevels = 2;  // of the tree over a warp's tiles: what waits there is in registers
constexpr unsigned kFloatMostTiles = 1u << kFloatLevels;

// The largest block of a kernel, and how many of that size shall fit a multiprocessor at least: that is the limit of its registers.
constexpr unsigned float_most_threads(std::size_t element_bytes, bool sum_alone) {
    return (sum_alone ? 512u : 256u) / (element_bytes == 8 ? 2 : 1);
}
template <class T, unsigned Parts>
struct FloatBlocks {
    static constexpr unsigned kThreads = float_most_threads(sizeof(T), Parts == 0);
    static constexpr unsigned kBlocks = Parts == kPartOrder || kThreads == 128 ? 3 : 2;
};

// The tree over the tiles of a warp: tile t merges like a carry in a binary counter.
template <unsigned Parts>
class TileTree {
  public:
    // Takes the nodes of tiles 0, 1, ...; returns the root of what a power of two of them makes.
    TEGU_DEVICE LaneNode push(unsigned tile, LaneNode node) {
        bool carries = true;
        TEGU_UNROLL
        for (unsigned level = 0; level < kFloatLevels; ++level) {
            if (!carries) continue;
            carries = ((tile >> level) & 1u) != 0;
            if (carries)
                node = merge<Parts>(waiting_[level], node);
            else
                waiting_[level] = node;
        }
        return node;
    }

  private:
    LaneNode waiting_[kFloatLevels];
};

template <unsigned Parts>
TEGU_DEVICE void store_node(std::uint64_t* shared, const LaneNode& node) {
    std::uint64_t* const at = shared + warp_index() * (FloatKind<Parts>::kNodeWords * kWarpLanes) + lane_index();
    unsigned word = 0;
    at[word++ * kWarpLanes] = bit_cast<std::uint64_t>(node.sum);
    if (Parts & kPartMoments) {
        at[word++ * kWarpLanes] = bit_cast<std::uint64_t>(node.s);
        at[word++ * kWarpLanes] = bit_cast<std::uint64_t>(node.q);
        at[word++ * kWarpLanes] = node.n;
    }
    if (Parts & kPartL1) at[word * kWarpLanes] = bit_cast<std::uint64_t>(node.l1);
}

template <unsigned Parts>
TEGU_DEVICE LaneNode load_node(const std::uint64_t* shared, unsigned warp) {
    const std::uint64_t* const at = shared + warp * (FloatKind<Parts>::kNodeWords * kWarpLanes) + lane_index();
    LaneNode node{0, 0, 0, 0, 0};
    unsigned word = 0;
    node.sum = bit_cast<double>(at[word++ * kWarpLanes]);
    if (Parts & kPartMoments) {
        node.s = bit_cast<double>(at[word++ * kWarpLanes]);
        node.q = bit_cast<double>(at[word++ * kWarpLanes]);
        node.n = static_cast<std::uint32_t>(at[word++ * kWarpLanes]);
    }
    if (Parts & kPartL1) node.l1 = bit_cast<double>(at[word * kWarpLanes]);
    return node;
}

// The tree over the tiles of each chunk, lane by lane, then over its lanes: the root is in the first warp of each chunk, the others' is empty.
// All threads of the block call it.
template <unsigned Parts>
TEGU_DEVICE LaneNode chunk_tree(LaneNode node, const ReduceShape& shape, std::uint64_t* shared) {
    const unsigned in_chunk = static_cast<unsigned>(kTilesPerChunk) >> log2_of(shape.tiles_per_warp);
    const unsigned warps = shape.team_warps < in_chunk ? shape.team_warps : in_chunk;
    if (warps > 1) {
        store_node<Parts>(shared, node);
        TEGU_NO_UNROLL
        for (unsigned step = 1; step < warps; step *= 2) {
            block_barrier();
            if ((warp_index() & (2 * step - 1)) != 0) continue;
            node = merge<Parts>(node, load_node<Parts>(shared, warp_index() + step));
            if (2 * step < warps) store_node<Parts>(shared, node);
        }
    }
    if ((warp_index() & (warps - 1)) != 0) return LaneNode{0, 0, 0, 0, 0};
    return fold_lanes<Parts>(node, kWarpLanes);
}

// Elements of a lane in the tile that begins at element `begin`; those that are not there become zero.
template <class T, class From>
TEGU_DEVICE void load_tile(const From& elements, std::uint64_t begin, LeafElements<T>& x) {
    const std::uint64_t self = begin + kFloatRun * lane_index();
    if (elements.n - begin >= kFloatTile) {
        TEGU_UNROLL
        for (unsigned r = 0; r < kTileRuns; ++r) elements.load_run(self + r * kFloatRow, x[r]);
    } else {
        TEGU_UNROLL
        for (unsigned r = 0; r < kTileRuns; ++r) elements.load(self + r * kFloatRow, x[r]);
    }
}

// `base`: the index of the warp's first element.
template <unsigned Parts, class A>
TEGU_DEVICE FloatPartial partial_of(const LaneNode& node, const LaneFacts<A>& facts, std::uint64_t base) {
    FloatPartial partial;
    partial.sum = node.sum;
    partial.nans = facts.nans;
    if (Parts & kPartL1) partial.l1 = node.l1;
    if (Parts & kPartMoments) {
        partial.n = static_cast<double>(node.n);
        partial.s = node.s;
        partial.q = node.q;
        partial.facts = facts.facts;
    }
    if (Parts & kPartOrder) {
        partial.min = static_cast<double>(facts.min);
        partial.max = static_cast<double>(facts.max);
        partial.min_at = facts.min_at == kNotFound ? kNowhere : base + facts.min_at;
        partial.max_at = facts.max_at == kNotFound ? kNowhere : base + facts.max_at;
        partial.nan_at = facts.nan_at == kNotFound ? kNowhere : base + facts.nan_at;
        partial.zeros = facts.zeros;
    }
    return partial;
}

// The root of a warp's tiles, lane by lane, and their facts.
template <unsigned Parts, class T, class From, class A>
TEGU_DEVICE LaneNode sweep_tiles(const From& elements, std::uint64_t base, unsigned tiles, bool skip_nans,
                                 LaneFacts<A>* facts) {
    TileTree<Parts> tree;
    LaneNode node{0, 0, 0, 0, 0};
    TEGU_NO_UNROLL
    for (unsigned t = 0; t < tiles; ++t) {
        const std::uint64_t begin = base + t * kFloatTile;
        LaneNode tile{0, 0, 0, 0, 0};
        if (begin < elements.n) {
            LeafElements<T> raw;
            LeafElements<A> x;
            load_tile(elements, begin, raw);
            TEGU_UNROLL
            for (unsigned i = 0; i < kTileRuns * kFloatRun; ++i)
                x[i / kFloatRun][i % kFloatRun] = widen(raw[i / kFloatRun][i % kFloatRun]);
            const unsigned lane_offset = kFloatRun * lane_index();
            const CarefulLeaf<T, kTileRuns, From> careful(elements, begin + lane_offset);
            tile = take_leaf<T, Parts>(x, LaneShare(elements.n - begin), careful, t * kFloatTile + lane_offset,
                                       skip_nans, facts);
        }
        node = tree.push(t, tile);
    }
    return node;
}

// reduce_float: statistics of sequences of floats, a group of tiles by each team of warps. Dense: no gaps, and runs are packs.
// in:    input [sequences, n] T                    out: target columns; work.partials where a sequence has several groups
// grid:  x = groups of the launch / teams          block: shape.threads (32..FloatBlocks<T, Parts>::kThreads)
// shared: FloatKind<Parts>::shared_bytes           result valid in: target, after the last launch of a sequence
// moves: reads n sizeof(T) B a sequence            order: the canonical tree, whatever the shape
// why:   a tile is eight 16-byte loads in flight per lane, and its elements stay in registers for the second look that deviations take
template <class T, unsigned Parts, bool Dense>
TEGU_KERNEL TEGU_BOUNDS2((FloatBlocks<T, Parts>::kThreads), (Dense ? FloatBlocks<T, Parts>::kBlocks : 1))
    reduce_float(ReduceInput input, bool packs, ReduceTarget target, ReduceWork work, ReduceShape shape,
                 ReduceRange range) {
    using A = typename Arithmetic<T>::type;
    TEGU_DYNAMIC_SHARED(memory);
    std::uint64_t* const shared = reinterpret_cast<std::uint64_t*>(memory);
    const TeamPlace place(shape, range);
    const std::uint64_t sequence = range.first + place.slot;
    const std::uint64_t base = (place.group * shape.team_warps + place.warp) * shape.tiles_per_warp * kFloatTile;
    LaneNode node{0, 0, 0, 0, 0};
    LaneFacts<A> facts;
    if (place.active && base < input.n) {
        if (Dense)
            node = sweep_tiles<Parts, T>(DenseElements<T, kFloatRun>(input, sequence), base, shape.tiles_per_warp,
                                         target.skip_nans, &facts);
        else
            node = sweep_tiles<Parts, T>(Elements<T, kFloatRun>(input, sequence, packs), base, shape.tiles_per_warp,
                                         target.skip_nans, &facts);
    }
    node = chunk_tree<Parts>(node, shape, shared);
    fold_facts<Parts>(&facts, kWarpLanes);
    FloatPartial partial = partial_of<Parts>(node, facts, base);
    if (close_sequence<FloatKind<Parts>>(&partial, place, shape, work, shared))
        finish_float<T, Parts>(target, sequence, partial);
}

// A run that is in registers.
template <class T>
struct OneRun {
    T x[kFloatRun];
    unsigned there;
    TEGU_DEVICE unsigned load(std::uint64_t, T* to) const {
        memcpy(to, x, sizeof x);
        return there;
    }
};

constexpr unsigned kRowsAhead = 4;

// reduce_float_rows: statistics of rows of up to 128 floats, each by a segment of lanes.
// in:    input [sequences, n] T, n <= 128          out: target columns
// grid:  x strides over the rows                   block: shape.threads (32..512)
// shared: none                                     result valid in: target, after the launch
// moves: reads n sizeof(T) B a row                 order: the canonical tree
// why:   a row is one leaf a lane; the loads of the next rows are in flight while this one is folded
template <class T, unsigned Parts>
TEGU_KERNEL TEGU_BOUNDS(512)
    reduce_float_rows(ReduceInput input, bool packs, ReduceTarget target, ReduceShape shape, ReduceRange range) {
    using A = typename Arithmetic<T>::type;
    const unsigned lanes = shape.segment_lanes;
    const std::uint64_t warp_rows = kWarpLanes / lanes;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * warp_rows;
    const std::uint64_t begin = kFloatRun * (lane_index() % lanes);
    const std::uint64_t in_warp = lane_index() / lanes;
    std::uint64_t row = (std::uint64_t{block_x()} * block_warps() + warp_index()) * warp_rows;  // the warp's first
    T ahead[kRowsAhead][kFloatRun];
    TEGU_UNROLL
    for (unsigned i = 0; i < kRowsAhead; ++i) {
        const std::uint64_t mine = row + i * stride + in_warp;
        if (mine < range.count) Elements<T, kFloatRun>(input, range.first + mine, packs).load(begin, ahead[i]);
    }
    TEGU_NO_UNROLL
    for (; row < range.count; row += stride) {
        const std::uint64_t sequence = range.first + row + in_warp;
        const bool mine = row + in_warp < range.count;
        OneRun<T> run;
        run.there = mine ? Elements<T, kFloatRun>(input, range.first, packs).count(begin) : 0;
        memcpy(run.x, ahead[0], sizeof run.x);
        TEGU_UNROLL
        for (unsigned i = 0; i + 1 < kRowsAhead; ++i) memcpy(ahead[i], ahead[i + 1], sizeof ahead[i]);
        const std::uint64_t next = row + kRowsAhead * stride + in_warp;
        if (next < range.count)
            Elements<T, kFloatRun>(input, range.first + next, packs).load(begin, ahead[kRowsAhead - 1]);
        LaneFacts<A> facts;
        const CarefulLeaf<T, 1, OneRun<T>> leaf(run, begin);
        LaneNode node = leaf.template take<Parts>(static_cast<std::uint32_t>(begin), target.skip_nans, &facts);
        node = fold_lanes<Parts>(node, lanes);
        fold_facts<Parts>(&facts, lanes);
        if (mine && lane_index() % lanes == 0)
            finish_float<T, Parts>(target, sequence, partial_of<Parts>(node, facts, 0));
    }
}

}  // namespace cuda
}  // namespace tegu
