// SPDX-License-Identifier: Apache-2.0
// The kernels of integer statistics: groups of tiles by teams of warps, and short rows by segments of a warp.
#pragma once

#include "kernels/cuda/reduce_integer_lane.cuh"

namespace tegu {
namespace cuda {

// The total of the first `width` lanes, in all of them.
template <unsigned Parts>
TEGU_DEVICE IntegerPartial fold_totals(const IntegerPartial& lane, unsigned width) {
    return warp_tree<IntegerKind<Parts>>(lane, width);
}

// reduce_integer: totals of sequences of integers, a group of tiles by each team of warps.
// in:    input [sequences, n] T                    out: work.totals; work.partials where a sequence has several groups
// grid:  x = groups of the launch / teams          block: shape.threads (32..512)
// shared: 8 kWords B a warp                        result valid in: work.totals, after the last launch of a sequence
// moves: reads n sizeof(T) B a sequence            order: any
// why:   runs of 16 bytes, eight in flight a lane, whatever the type; exact sums leave the layout free
template <class T, unsigned Parts>
TEGU_KERNEL TEGU_BOUNDS(512)
    reduce_integer(ReduceInput input, bool packs, ReduceWork work, ReduceShape shape, ReduceRange range) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    constexpr unsigned kTile = IntegerRun<T>::kTile;
    constexpr unsigned kRow = kWarpLanes * kRun;
    TEGU_DYNAMIC_SHARED(memory);
    const TeamPlace place(shape, range);
    const std::uint64_t sequence = range.first + place.slot;
    const std::uint64_t base = (place.group * shape.team_warps + place.warp) * shape.tiles_per_warp * kTile;
    IntegerLane<T, Parts> lane;
    if (place.active) {
        const Elements<T, kRun> elements(input, sequence, packs);
        TEGU_NO_UNROLL
        for (unsigned t = 0; t < shape.tiles_per_warp; ++t) {
            const std::uint64_t tile = base + t * kTile;
            const std::uint64_t begin = tile + kRun * lane_index();
            if (tile >= input.n) break;
            if (packs && !elements.gaps() && input.n - tile >= kTile) {
                RunWords x[kTileRuns];
                TEGU_UNROLL
                for (unsigned r = 0; r < kTileRuns; ++r)
                    load_packs<std::uint32_t, 4>(
                        reinterpret_cast<const std::uint32_t*>(elements.data + begin + r * kRow), x[r].word);
                lane.take_tile(x, elements, begin, kRow);
            } else {
                TEGU_NO_UNROLL
                for (unsigned r = 0; r < kTileRuns; ++r) {
                    T x[kRun];
                    lane.take_some(x, elements.load(begin + r * kRow, x), begin + r * kRow);
                }
            }
        }
    }
    IntegerPartial total = fold_totals<Parts>(lane.total(), kWarpLanes);
    if (close_sequence<IntegerKind<Parts>>(&total, place, shape, work, reinterpret_cast<std::uint64_t*>(memory)))
        static_cast<IntegerPartial*>(work.totals)[place.slot] = total;
}

// reduce_integer_rows: totals of rows of up to 512 bytes, each by a segment of lanes.
// in:    input [sequences, n] T, 32 runs at most   out: work.totals
// grid:  x strides over the rows                   block: shape.threads (32..512)
// shared: none                                     result valid in: work.totals, after the launch
// moves: reads n sizeof(T) B, writes a total a row         order: any
// why:   a row is one run a lane; the loads of the next rows are in flight while this one is folded
template <class T>
TEGU_KERNEL TEGU_BOUNDS(512)
    reduce_integer_rows(ReduceInput input, bool packs, ReduceWork work, ReduceShape shape, ReduceRange range) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    constexpr unsigned kAhead = 4;
    const unsigned lanes = shape.segment_lanes;
    const std::uint64_t warp_rows = kWarpLanes / lanes;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * warp_rows;
    const std::uint64_t begin = kRun * (lane_index() % lanes);
    const std::uint64_t in_warp = lane_index() / lanes;
    std::uint64_t row = (std::uint64_t{block_x()} * block_warps() + warp_index()) * warp_rows;  // the warp's first
    T ahead[kAhead][kRun];
    TEGU_UNROLL
    for (unsigned i = 0; i < kAhead; ++i) {
        const std::uint64_t mine = row + i * stride + in_warp;
        if (mine < range.count) Elements<T, kRun>(input, range.first + mine, packs).load(begin, ahead[i]);
    }
    TEGU_NO_UNROLL
    for (; row < range.count; row += stride) {
        const std::uint64_t slot = row + in_warp;
        const Elements<T, kRun> elements(input, range.first, packs);  // for the count alone
        IntegerLane<T, kAllIntegerParts> lane;
        if (slot < range.count) lane.take_some(ahead[0], elements.count(begin), begin);
        TEGU_UNROLL
        for (unsigned i = 0; i + 1 < kAhead; ++i) memcpy(ahead[i], ahead[i + 1], sizeof ahead[i]);
        const std::uint64_t next = row + kAhead * stride + in_warp;
        if (next < range.count) Elements<T, kRun>(input, range.first + next, packs).load(begin, ahead[kAhead - 1]);
        const IntegerPartial total = fold_totals<kAllIntegerParts>(lane.total(), lanes);
        if (slot < range.count && lane_index() % lanes == 0) static_cast<IntegerPartial*>(work.totals)[slot] = total;
    }
}

}  // namespace cuda
}  // namespace tegu
