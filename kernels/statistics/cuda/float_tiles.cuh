// SPDX-License-Identifier: Apache-2.0
// The kernel of float statistics for rows that fit a tile. A warp reads one row after the other, and keeps
// their results in shared memory. Then each lane finishes one row.
#pragma once

#include <type_traits>

#include "kernels/statistics/cuda/float.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kTileRowWords = 9;  // of the results of a row in shared memory

// The results of the rows of a warp: word w of row r at words[w * 32 + r].
template <class A>
struct TileRows {
    std::uint64_t* words;

    TEGU_DEVICE static std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
        return std::uint64_t{high} << 32 | low;
    }
    TEGU_DEVICE void put(unsigned row, const LaneNode& node, const LaneFacts<A>& facts) const {
        const std::uint64_t all[kTileRowWords] = {bit_cast<std::uint64_t>(node.sum),
                                                  bit_cast<std::uint64_t>(node.l1),
                                                  bit_cast<std::uint64_t>(node.s),
                                                  bit_cast<std::uint64_t>(node.q),
                                                  bit_cast<std::uint64_t>(static_cast<double>(facts.min)),
                                                  bit_cast<std::uint64_t>(static_cast<double>(facts.max)),
                                                  pair(facts.min_in, facts.max_in),
                                                  pair(facts.nan_at, facts.zeros),
                                                  pair(facts.rare, node.n)};
        TEGU_UNROLL
        for (unsigned w = 0; w < kTileRowWords; ++w) words[w * kWarpLanes + row] = all[w];
    }
    TEGU_DEVICE void get(unsigned row, LaneNode* node, LaneFacts<A>* facts) const {
        std::uint64_t all[kTileRowWords];
        TEGU_UNROLL
        for (unsigned w = 0; w < kTileRowWords; ++w) all[w] = words[w * kWarpLanes + row];
        *node = LaneNode{bit_cast<double>(all[0]), bit_cast<double>(all[1]), bit_cast<double>(all[2]),
                         bit_cast<double>(all[3]), static_cast<std::uint32_t>(all[8] >> 32)};
        facts->min = static_cast<A>(bit_cast<double>(all[4]));
        facts->max = static_cast<A>(bit_cast<double>(all[5]));
        facts->min_in = static_cast<std::uint32_t>(all[6]);
        facts->max_in = static_cast<std::uint32_t>(all[6] >> 32);
        facts->nan_at = static_cast<std::uint32_t>(all[7]);
        facts->zeros = static_cast<std::uint32_t>(all[7] >> 32);
        facts->rare = static_cast<std::uint32_t>(all[8]);
    }
};

// The tree over the lanes of a warp, from their leaves. All lanes get the root.
template <unsigned Parts>
TEGU_DEVICE LaneNode tile_tree(LaneNode node) {
    constexpr unsigned kLeaf = kTileRuns * kFloatRun;
    if (!(Parts & kPartMoments) || warp_all(node.n == kLeaf)) {
        double scale = 0.5 / kLeaf;
        TEGU_UNROLL
        for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) {
            node = merge_equal<Parts>(node, shuffle_xor_node<Parts>(node, mask), scale);
            scale *= 0.5;
        }
        return node;
    }
    return fold_warp<Parts>(node);
}

// Finishes row `segment`, by one thread.
template <class T, unsigned Parts, class A, class From>
TEGU_DEVICE void finish_tile_row(const ReduceTarget& target, std::uint64_t segment, const From& elements,
                                 const LaneNode& node, const LaneFacts<A>& facts) {
    FloatPartial partial = partial_of<Parts>(node, facts, !target.skip_nans, 0, 0);
    if ((Parts & kPartOrder) && target.column[kColumnArgmin] != nullptr)
        partial.order.min_at = first_in_run<EqualFloat<T>, T, kFloatRun>(
            elements, partial.order.min_at, bit_cast<std::uint64_t>(partial.order.min));
    if ((Parts & kPartOrder) && target.column[kColumnArgmax] != nullptr)
        partial.order.max_at = first_in_run<EqualFloat<T>, T, kFloatRun>(
            elements, partial.order.max_at, bit_cast<std::uint64_t>(partial.order.max));
    finish_float<T, Parts>(target, segment, partial);
}

// reduce_float_tiles: statistics of rows of up to 1024 floats, shape.batch_rows rows by each warp.
// in:    input [segments, n] T, n <= 1024; Dense: runs are packs
// out:   target columns
// grid:  x strides over batches of rows
// block: shape.threads (32..FloatBlocks<T, Parts, Dense>::kThreads)
// shared: 8 * 32 * kTileRowWords B a warp          result valid in: target, after the launch
// moves: reads n sizeof(T) B a row                 order: the canonical tree
// why:   no warp waits for another; the next row loads while one is computed; the divisions of all rows of a
//        batch are done at once, a lane each
template <class T, unsigned Parts, bool Dense>
TEGU_KERNEL TEGU_BOUNDS2((FloatBlocks<T, Parts, Dense>::kThreads), (FloatBlocks<T, Parts, Dense>::kBlocks))
    reduce_float_tiles(Segments input, bool packs, ReduceTarget target, ReduceShape shape,
                       ReduceRange range) {
    using A = typename Arithmetic<T>::type;
    using From =
        typename std::conditional<Dense, DenseElements<T, kFloatRun>, RowElements<T, kFloatRun>>::type;
    TEGU_DYNAMIC_SHARED(memory);
    const TileRows<A> results{reinterpret_cast<std::uint64_t*>(memory) +
                              warp_index() * (kTileRowWords * kWarpLanes)};
    const unsigned batch = shape.batch_rows;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * batch;
    std::uint64_t first = (std::uint64_t{block_x()} * block_warps() + warp_index()) * batch;
    const auto row_at = [&](std::uint64_t row) { return From(input, range.first + row, packs); };
    T ahead[kTileRuns * kFloatRun];
    std::uint32_t there = 0;
    if (first < range.count) there = load_tile<T>(row_at(first), 0, ahead);
    TEGU_NO_UNROLL
    for (; first < range.count; first += stride) {
        const unsigned rows =
            range.count - first < batch ? static_cast<unsigned>(range.count - first) : batch;
        TEGU_NO_UNROLL
        for (unsigned r = 0; r < rows; ++r) {
            Leaf<A, kTileRuns> leaf;
            leaf.mask = there;
            TEGU_UNROLL
            for (unsigned i = 0; i < leaf.kElements; ++i) leaf.x[i] = widen(ahead[i]);
            const std::uint64_t next = r + 1 < rows ? first + r + 1 : first + stride;
            if (next < range.count) load_tile<T>(row_at(next), 0, ahead);
            const From elements = row_at(first + r);
            const unsigned begin = kFloatRun * lane_index();
            const WideLeaf<T, kTileRuns, From> wide(elements, begin);
            LaneFacts<A> facts;
            const LaneNode node = tile_tree<Parts>(
                take_leaf<Parts, true>(leaf, wide, lane_index(), begin, target.skip_nans, &facts));
            fold_warp_facts<Parts>(&facts);
            if (lane_index() == 0) results.put(r, node, facts);
        }
        warp_barrier();
        if (lane_index() < rows) {
            LaneNode node;
            LaneFacts<A> facts;
            results.get(lane_index(), &node, &facts);
            finish_tile_row<T, Parts>(target, range.first + first + lane_index(),
                                      row_at(first + lane_index()), node, facts);
        }
        warp_barrier();
    }
}

inline std::size_t tile_rows_bytes(const ReduceShape& shape) {
    return std::size_t{shape.threads} * kTileRowWords * 8;
}

}  // namespace cuda
}  // namespace tegu
