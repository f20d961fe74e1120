// SPDX-License-Identifier: Apache-2.0
// The trees over nodes of lanes: within a warp's tiles, then over the warps and lanes of a chunk. Nodes
// of equal, full leaves have a separate merge without divisions or branches.
#pragma once

#include "kernels/statistics/cuda/float_facts.cuh"
#include "kernels/statistics/cuda/team.cuh"

namespace tegu {
namespace cuda {

template <unsigned Parts>
struct FloatKind {
    static constexpr unsigned kNodeWords = 1 + ((Parts & kPartL1) ? 1 : 0) + ((Parts & kPartMoments) ? 3 : 0);

    // Bytes for the waiting nodes at each level of the tree over a warp's tiles, then for those of a chunk.
    static std::size_t shared_bytes(const ReduceShape& shape) {
        std::size_t levels = shape.team_warps > 1 ? 1 : 0;
        while (std::size_t{1} << levels < shape.tiles_per_warp) ++levels;
        return std::size_t{shape.threads} * levels * (kNodeWords * 8);
    }
};

template <unsigned Parts>
TEGU_DEVICE void store_node(std::uint64_t* shared, const LaneNode& node) {
    std::uint64_t* const at =
        shared + warp_index() * (FloatKind<Parts>::kNodeWords * kWarpLanes) + lane_index();
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
    const std::uint64_t* const at =
        shared + warp * (FloatKind<Parts>::kNodeWords * kWarpLanes) + lane_index();
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

// The tree over `warps` adjacent warps, lane by lane, then over the lanes of the first. REQUIRES: the nodes
// are in shared memory.
template <unsigned Parts>
TEGU_DEVICE LaneNode ragged_chunk_tree(LaneNode node, unsigned warps, std::uint64_t* shared) {
    const unsigned crossing = log2_of(warps);
    TEGU_NO_UNROLL
    for (unsigned round = 0; round < crossing; ++round) {
        block_barrier();
        if ((warp_index() & ((2u << round) - 1u)) != 0) continue;
        node = merge<Parts>(node, load_node<Parts>(shared, warp_index() + (1u << round)));
        if (round + 1 < crossing) store_node<Parts>(shared, node);
    }
    if ((warp_index() & (warps - 1)) != 0) return LaneNode{0, 0, 0, 0, 0};
    return fold_warp<Parts>(node);
}

// The lane's nodes of `warps` adjacent warps from `first` on, merged. scale: as in full_chunk_tree().
template <unsigned Parts, unsigned Max>
TEGU_DEVICE LaneNode merge_warps(unsigned first, unsigned warps, double scale, const std::uint64_t* shared) {
    LaneNode nodes[Max];
    TEGU_UNROLL
    for (unsigned w = 0; w < Max; ++w)
        nodes[w] = w < warps ? load_node<Parts>(shared, first + w) : LaneNode{0, 0, 0, 0, 0};
    TEGU_UNROLL
    for (unsigned apart = 1; apart < Max; apart *= 2) {
        if (apart < warps) {
            TEGU_UNROLL
            for (unsigned w = 0; w < Max; w += 2 * apart)
                nodes[w] = merge_equal<Parts>(nodes[w], nodes[w + apart], scale);
        }
        scale *= 0.5;
    }
    return nodes[0];
}

// As ragged_chunk_tree(), if every node has the same number of elements, a power of two, or no moments. A
// missing lane has +0, which changes no sum. scale: 1 over the elements of two nodes. One warp reads all
// nodes, so no other one waits.
template <unsigned Parts>
TEGU_DEVICE LaneNode full_chunk_tree(LaneNode node, unsigned warps, double scale,
                                     const std::uint64_t* shared) {
    if ((warp_index() & (warps - 1)) != 0) return LaneNode{0, 0, 0, 0, 0};
    // nodes in registers at once
    constexpr unsigned kMax = (Parts & kPartMoments) ? 8 : static_cast<unsigned>(kTilesPerChunk);
    if (warps > 1) {
        const unsigned at_once = warps < kMax ? warps : kMax;
        LaneNode half{0, 0, 0, 0, 0};
        TEGU_NO_UNROLL
        for (unsigned first = 0; first < warps; first += kMax) {
            half = node;
            node = merge_warps<Parts, kMax>(warp_index() + first, at_once, scale, shared);
        }
        for (unsigned apart = 1; apart < at_once; apart *= 2) scale *= 0.5;
        if (warps > kMax) {
            node = merge_equal<Parts>(half, node, scale);
            scale *= 0.5;
        }
    }
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) {
        node = merge_equal<Parts>(node, shuffle_xor_node<Parts>(node, mask), scale);
        scale *= 0.5;
    }
    return node;
}

// The tree over the tiles of each chunk, lane by lane, then over its lanes. The first warp of each chunk gets
// the root; the others get empty nodes. All threads of the block call it.
template <unsigned Parts>
TEGU_DEVICE LaneNode chunk_tree(const LaneNode& node, const ReduceShape& shape, std::uint64_t* shared) {
    const unsigned in_chunk = static_cast<unsigned>(kTilesPerChunk) >> log2_of(shape.tiles_per_warp);
    const unsigned warps = shape.team_warps < in_chunk ? shape.team_warps : in_chunk;
    const unsigned elements = shape.tiles_per_warp * kTileRuns * kFloatRun;  // of a full node
    if (warps > 1) store_node<Parts>(shared, node);
    bool full = true;
    if (Parts & kPartMoments)
        full = block_count(node.n == elements) == static_cast<int>(block_threads());
    else if (warps > 1)
        block_barrier();
    return full ? full_chunk_tree<Parts>(node, warps, 0.5 / elements, shared)
                : ragged_chunk_tree<Parts>(node, warps, shared);
}

// Takes the nodes of a lane's leaves 0, 1, ..., a power of two of them. Each merges with the previous ones
// like the carries of a binary counter. Waiting nodes are in shared memory that only this lane uses. The last
// call returns the root.
template <unsigned Parts>
TEGU_DEVICE LaneNode push_node(LaneNode node, unsigned number, bool last, std::uint64_t* waiting) {
    TEGU_NO_UNROLL
    for (unsigned carries = number; carries & 1u; carries >>= 1) {
        node = merge<Parts>(load_node<Parts>(waiting, warp_index()), node);
        waiting += block_threads() * FloatKind<Parts>::kNodeWords;
    }
    if (!last) store_node<Parts>(waiting, node);
    return node;
}

}  // namespace cuda
}  // namespace tegu
