// SPDX-License-Identifier: Apache-2.0
// The kernel of float statistics for short rows. A few lanes of a warp handle a row, so that most merges need
// no other lane.
#pragma once

#include "kernels/execution/cuda/words.cuh"
#include "kernels/statistics/cuda/float.cuh"

namespace tegu {
namespace cuda {

// An extreme as its value in f64, to search its position.
template <class T>
struct EqualFloat {
    using A = typename Arithmetic<T>::type;
    TEGU_DEVICE static A from(std::uint64_t bits) { return static_cast<A>(bit_cast<double>(bits)); }
    TEGU_DEVICE static bool to(T x, A value) { return widen(x) == value; }
};

// The leaves of a lane in a row, in tree order: run `lane + lanes * i`, where the bits of i are counted in
// reverse.
struct RowLeaves {
    unsigned lanes;  // for each row
    unsigned count;  // number of leaves: a power of two
    TEGU_DEVICE unsigned lane() const { return lane_index() & (lanes - 1); }
    TEGU_DEVICE unsigned run_after(unsigned run, unsigned k) const {
        const unsigned carried = count - (count >> (trailing_zeros(~k) + 1));
        return lane() + (((run - lane()) & ~(lanes - 1)) ^ (carried * lanes));
    }
};

// The statistics of row `segment`, by a group of lanes. All lanes of the warp call it. `mine`: the row
// exists, else nothing is written. shared: as in push_node(), if a lane has several leaves.
template <class T, unsigned Parts>
TEGU_DEVICE void reduce_float_row(const Segments& input, bool packs, const ReduceTarget& target,
                                  std::uint64_t segment, bool mine, const RowLeaves& leaves,
                                  std::uint64_t* shared) {
    using A = typename Arithmetic<T>::type;
    const RowElements<T, kFloatRun> elements(input, segment, packs);
    LaneNode node{0, 0, 0, 0, 0};
    LaneFacts<A> facts;
    T ahead[kFloatRun];
    unsigned next = leaves.lane();
    elements.load(kFloatRun * next, ahead);
    TEGU_NO_UNROLL
    for (unsigned k = 0; k < leaves.count; ++k) {
        const unsigned run = next;
        next = leaves.run_after(run, k);
        Leaf<A, 1> leaf;
        leaf.mask = (1u << elements.count(kFloatRun * run)) - 1u;
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) leaf.x[j] = widen(ahead[j]);
        if (k + 1 < leaves.count) elements.load(kFloatRun * next, ahead);
        const WideLeaf<T, 1, RowElements<T, kFloatRun>> wide(elements, kFloatRun * run);
        node = take_leaf<Parts>(leaf, wide, run, kFloatRun * run, target.skip_nans, &facts);
        node = push_node<Parts>(node, k, k + 1 == leaves.count, shared);
    }
    node = fold_lanes<Parts>(node, leaves.lanes);
    fold_facts<Parts>(&facts, leaves.lanes);
    if (!mine || leaves.lane() != 0) return;
    FloatPartial partial = partial_of<Parts>(node, facts, !target.skip_nans, 0, 0);
    if (Parts & kPartOrder) {
        partial.order.min_at = first_in_run<EqualFloat<T>, T, kFloatRun>(
            elements, partial.order.min_at, bit_cast<std::uint64_t>(partial.order.min));
        partial.order.max_at = first_in_run<EqualFloat<T>, T, kFloatRun>(
            elements, partial.order.max_at, bit_cast<std::uint64_t>(partial.order.max));
    }
    finish_float<T, Parts>(target, segment, partial);
}

// reduce_float_rows: statistics of rows of up to 128 floats, each by a group of lanes.
// in:    input [segments, n] T, n <= 128          out: target columns
// grid:  x strides over the rows
// block: shape.threads (32..FloatBlocks<T, Parts, false>::kThreads)
// shared: FloatKind<Parts>::shared_bytes           result valid in: target, after the launch
// moves: reads n sizeof(T) B a row                 order: the canonical tree
// why:   few lanes a row: most merges need no other lane, and many lanes finish one row each; the next leaves
//        load ahead. For rows of up to 8 elements, and where batches of rows would not fill the device
template <class T, unsigned Parts>
TEGU_KERNEL TEGU_BOUNDS2((FloatBlocks<T, Parts, false>::kThreads), (FloatBlocks<T, Parts, false>::kBlocks))
    reduce_float_rows(Segments input, bool packs, ReduceTarget target, ReduceShape shape, ReduceRange range) {
    TEGU_DYNAMIC_SHARED(memory);
    std::uint64_t* const shared = reinterpret_cast<std::uint64_t*>(memory);
    const RowLeaves leaves{shape.row_lanes, shape.tiles_per_warp};
    const std::uint64_t warp_rows = kWarpLanes / shape.row_lanes;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * warp_rows;
    const std::uint64_t in_warp = lane_index() / shape.row_lanes;
    TEGU_NO_UNROLL
    for (std::uint64_t row = (std::uint64_t{block_x()} * block_warps() + warp_index()) * warp_rows;
         row < range.count; row += stride) {
        const bool mine = row + in_warp < range.count;
        reduce_float_row<T, Parts>(input, packs, target, range.first + (mine ? row + in_warp : 0), mine,
                                   leaves, shared);
    }
}

}  // namespace cuda
}  // namespace tegu
