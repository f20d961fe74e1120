// SPDX-License-Identifier: Apache-2.0
// The scalar product of floats: the canonical tree over the products.
#pragma once

#include "kernels/dot/cuda/dot.h"
#include "kernels/statistics/cuda/float_rows.cuh"

namespace tegu {
namespace cuda {

struct DotSum {
    double sum = 0;
};
struct DotSumKind {
    using Partial = DotSum;
    static constexpr unsigned kWords = 1;
    TEGU_DEVICE static void merge(DotSum* a, const DotSum& b) { a->sum = a->sum + b.sum; }
};

// A leaf of products of `Runs` runs, for any elements; From as in WideLeaf.
template <class T, unsigned Runs, class From>
TEGU_DEVICE double careful_products(const From& x, const From& y, std::uint64_t begin, bool skip_nans) {
    using A = typename Arithmetic<T>::type;
    A a[kFloatRun] = {0, 0, 0, 0};
    double wide[kFloatRun] = {0, 0, 0, 0};
    TEGU_NO_UNROLL
    for (unsigned r = 0; r < Runs; ++r) {
        T left[kFloatRun];
        T right[kFloatRun];
        x.load(begin + r * kFloatRow, left);
        y.load(begin + r * kFloatRow, right);
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) {
            const A u = widen(left[j]);
            const A v = widen(right[j]);
            if (skip_nans && (is_nan(u) || is_nan(v))) continue;
            a[j] = a[j] + u * v;
            wide[j] = wide[j] + static_cast<double>(u) * static_cast<double>(v);
        }
    }
    const A leaf = sum_of_four(a);
    return sizeof(A) == 8 || finite(leaf) ? static_cast<double>(leaf) : sum_of_four(wide);
}

// The leaf of a lane in the tile that begins at element `begin`. Takes a few rows at a time: all rows of both
// inputs would need too many registers.
template <class T, class From>
TEGU_DEVICE double product_leaf(const From& x, const From& y, std::uint64_t begin, bool skip_nans) {
    using A = typename Arithmetic<T>::type;
    constexpr unsigned kRows = sizeof(T) == 8 ? 2 : 4;
    const std::uint64_t self = begin + kFloatRun * lane_index();
    const bool full = x.n - begin >= kFloatTile;
    A a[kFloatRun] = {0, 0, 0, 0};
    TEGU_NO_UNROLL
    for (unsigned first = 0; first < kTileRuns; first += kRows) {
        T left[kRows][kFloatRun];
        T right[kRows][kFloatRun];
        if (full) {
            TEGU_UNROLL
            for (unsigned r = 0; r < kRows; ++r) {
                x.load_run(self + (first + r) * kFloatRow, left[r]);
                y.load_run(self + (first + r) * kFloatRow, right[r]);
            }
        } else {
            TEGU_UNROLL
            for (unsigned r = 0; r < kRows; ++r) {
                x.load(self + (first + r) * kFloatRow, left[r]);
                y.load(self + (first + r) * kFloatRow, right[r]);
            }
        }
        TEGU_UNROLL
        for (unsigned r = 0; r < kRows; ++r) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kFloatRun; ++j) a[j] = a[j] + widen(left[r][j]) * widen(right[r][j]);
        }
    }
    const A leaf = sum_of_four(a);
    return finite(leaf) ? static_cast<double>(leaf) : careful_products<T, kTileRuns>(x, y, self, skip_nans);
}

template <class T, class From>
TEGU_DEVICE LaneNode sweep_products(const From& x, const From& y, std::uint64_t base, unsigned tiles,
                                    bool skip_nans, std::uint64_t* waiting) {
    LaneNode node{0, 0, 0, 0, 0};
    TEGU_NO_UNROLL
    for (unsigned t = 0; t < tiles; ++t) {
        const std::uint64_t begin = base + t * kFloatTile;
        node.sum = begin < x.n ? product_leaf<T>(x, y, begin, skip_nans) : 0;
        node = push_node<0>(node, t, t + 1 == tiles, waiting);
    }
    return node;
}

// dot_float: scalar products of segments of floats, a group of tiles by each team of warps. Dense: no gaps,
// and runs are packs.
// in:    inputs x, y [segments, n] T
// out:   work.out; work.reduce where a segment has several groups
// grid:  x = groups of the launch / teams          block: shape.threads (32..256)
// shared: FloatKind<0>::shared_bytes
// result valid in: work.out, after the last launch of a segment
// moves: reads 2 n sizeof(T) B a segment          order: the canonical tree, whatever the shape
// why:   eight 16-byte loads in flight for each lane; products are added where they are formed
template <class T, bool Dense>
TEGU_KERNEL TEGU_BOUNDS2(256, (Dense ? 3 : 2)) dot_float(DotInputs inputs, bool x_packs, bool y_packs,
                                                         DotWork work, ReduceShape shape, ReduceRange range) {
    TEGU_DYNAMIC_SHARED(memory);
    std::uint64_t* const shared = reinterpret_cast<std::uint64_t*>(memory);
    const TeamPosition position(shape, range, block_x());
    const std::uint64_t segment = range.first + position.slot;
    const std::uint64_t base =
        (position.group * shape.team_warps + position.warp) * shape.tiles_per_warp * kFloatTile;
    LaneNode node{0, 0, 0, 0, 0};
    if (position.active && base < inputs.x.n) {
        if (Dense)
            node = sweep_products<T>(DenseElements<T, kFloatRun>(inputs.x, segment, x_packs),
                                     DenseElements<T, kFloatRun>(inputs.y, segment, y_packs), base,
                                     shape.tiles_per_warp, inputs.skip_nans, shared);
        else
            node = sweep_products<T>(Elements<T, kFloatRun>(inputs.x, segment, x_packs),
                                     Elements<T, kFloatRun>(inputs.y, segment, y_packs), base,
                                     shape.tiles_per_warp, inputs.skip_nans, shared);
    }
    DotSum sum;
    sum.sum = chunk_tree<0>(node, shape, shared).sum;
    if (close_segment<DotSumKind>(&sum, 1, position, shape, work.reduce, shared) && position.leads() &&
        lane_index() == 0)
        static_cast<double*>(work.out)[segment] = canonical(sum.sum);
}

// dot_float_rows: scalar products of rows of up to 128 floats, each by a group of lanes.
// in:    inputs x, y [segments, n] T, n <= 128    out: work.out
// grid:  x strides over the rows                   block: shape.threads (32..256)
// shared: FloatKind<0>::shared_bytes               result valid in: work.out, after the launch
// moves: reads 2 n sizeof(T) B a row, writes 8     order: the canonical tree
// why:   few lanes a row, so that most sums need no other lane
template <class T>
TEGU_KERNEL TEGU_BOUNDS(256) dot_float_rows(DotInputs inputs, bool x_packs, bool y_packs, DotWork work,
                                            ReduceShape shape, ReduceRange range) {
    TEGU_DYNAMIC_SHARED(memory);
    const RowLeaves leaves{shape.row_lanes, shape.tiles_per_warp};
    const std::uint64_t warp_rows = kWarpLanes / shape.row_lanes;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * warp_rows;
    const std::uint64_t in_warp = lane_index() / shape.row_lanes;
    TEGU_NO_UNROLL
    for (std::uint64_t row = (std::uint64_t{block_x()} * block_warps() + warp_index()) * warp_rows;
         row < range.count; row += stride) {
        const bool mine = row + in_warp < range.count;
        const std::uint64_t segment = range.first + (mine ? row + in_warp : 0);
        const RowElements<T, kFloatRun> x(inputs.x, segment, x_packs);
        const RowElements<T, kFloatRun> y(inputs.y, segment, y_packs);
        LaneNode node{0, 0, 0, 0, 0};
        unsigned run = leaves.lane();
        TEGU_NO_UNROLL
        for (unsigned k = 0; k < leaves.count; ++k) {
            node.sum = careful_products<T, 1>(x, y, kFloatRun * run, inputs.skip_nans);
            node = push_node<0>(node, k, k + 1 == leaves.count, reinterpret_cast<std::uint64_t*>(memory));
            run = leaves.run_after(run, k);
        }
        node = fold_lanes<0>(node, leaves.lanes);
        if (mine && leaves.lane() == 0) static_cast<double*>(work.out)[segment] = canonical(node.sum);
    }
}

}  // namespace cuda
}  // namespace tegu
