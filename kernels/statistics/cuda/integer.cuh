// SPDX-License-Identifier: Apache-2.0
// The kernels of integer statistics: groups of tiles by teams of warps, and short rows by groups of lanes.
#pragma once

#include "kernels/statistics/cuda/exact.cuh"

namespace tegu {
namespace cuda {

// An extreme as its key, to search its position.
template <class T>
struct EqualInteger {
    TEGU_DEVICE static T from(std::uint64_t key) {
        return static_cast<T>(Signedness<T>::kSigned ? key ^ (std::uint64_t{1} << 63) : key);
    }
    TEGU_DEVICE static bool to(T x, T value) { return x == value; }
};

// Writes the statistics of a segment from its total, by one thread. A sum alone needs no call.
template <class T, unsigned Parts>
TEGU_DEVICE void end_integer(const ReduceTarget& target, const ReduceWork& work, std::uint64_t slot,
                             std::uint64_t segment, const IntegerPartial& total) {
    bool fits;
    if (Parts == 0 && target.column[kColumnMean] == nullptr && target.node == nullptr) {
        fits = put_totals(target, segment, total, Signedness<T>::kSigned);
    } else {
        IntegerEnd end;
        end.target = target;
        end.format = IntegerFormat{sizeof(T), Signedness<T>::kSigned};
        end.segment = segment;
        end.total = total;
        fits = finish_integer(&end);
    }
    if (fits || work.totals == nullptr) return;
    reinterpret_cast<ReduceTotal*>(static_cast<char*>(work.totals) + slot * kReducePartialBytes)[0] = total;
    atomic_max(work.overflow, ~segment);
}

// The partial result of a lane in the tiles of a warp.
template <class T, unsigned Parts>
TEGU_DEVICE IntegerPartial sweep_integers(const Elements<T, IntegerRun<T>::kElements>& elements,
                                          std::uint64_t first_tile, unsigned tiles) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    constexpr unsigned kTile = IntegerRun<T>::kTile;
    constexpr unsigned kRow = kWarpLanes * kRun;
    IntegerLane<T, Parts> lane;
    const bool dense = elements.packs && !elements.gaps();
    TEGU_NO_UNROLL
    for (unsigned t = 0; t < tiles; ++t) {
        const std::uint64_t tile = (first_tile + t) * kTile;
        const std::uint64_t begin = tile + kRun * lane_index();
        if (tile >= elements.n) break;
        if (dense && elements.n - tile >= kTile) {
            RunWords x[kTileRuns];
            TEGU_UNROLL
            for (unsigned r = 0; r < kTileRuns; ++r) x[r] = load_words(elements.data + begin + r * kRow);
            lane.take_tile(x, t);
        } else {
            TEGU_NO_UNROLL
            for (unsigned r = 0; r < kTileRuns; ++r) {
                T x[kRun];
                const unsigned count = elements.load(begin + r * kRow, x);
                lane.take_run(x, count, t);
            }
        }
    }
    return lane.total(first_tile);
}

// reduce_integer: totals of segments of integers, a group of tiles by each team of warps.
// in:    input [segments, n] T
// out:   target columns; work.partials where a segment has several groups
// grid:  x = groups of the launch / teams          block: shape.threads (32..512)
// shared: IntegerKind<Parts>::shared_bytes
// result valid in: target and work.overflow, after the last launch of a segment
// moves: reads n sizeof(T) B a segment            order: any
// why:   runs of 16 bytes, eight in flight for each lane, for every type; exact sums allow any order
template <class T, unsigned Parts>
TEGU_KERNEL TEGU_BOUNDS2((512 / kBlocksForRegisters), kBlocksForRegisters)
    reduce_integer(Segments input, bool packs, ReduceTarget target, ReduceWork work, ReduceShape shape,
                   ReduceRange range) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    TEGU_DYNAMIC_SHARED(memory);
    std::uint64_t* const shared = reinterpret_cast<std::uint64_t*>(memory);
    const TeamPosition position(shape, range, block_x());
    const Elements<T, kRun> elements(input, range.first + position.slot, packs);
    IntegerPartial total;
    if (position.active)
        total = sweep_integers<T, Parts>(
            elements, (position.group * shape.team_warps + position.warp) * shape.tiles_per_warp,
            shape.tiles_per_warp);
    if (!close_segment<IntegerKind<Parts>>(&total, kWarpLanes, position, shape, work, shared)) return;
    if ((Parts & kPartExtremes) &&
        (target.column[kColumnArgmin] != nullptr || target.column[kColumnArgmax] != nullptr)) {
        const SoughtExtremes sought{{total.min, total.max}, {total.min_at, total.max_at}};
        show_extremes(sought, position, shared);
        const SoughtExtremes at =
            locate_extremes<EqualInteger<T>, T, kRun>(sought, elements, position, shape.team_warps, shared);
        total.min_at = at.tile[0];
        total.max_at = at.tile[1];
    }
    if (position.leads() && lane_index() == 0)
        end_integer<T, Parts>(target, work, position.slot, range.first + position.slot, total);
}

// reduce_integer_rows: totals of rows of up to 512 bytes, each by a group of lanes.
// in:    input [segments, n] T, 32 runs at most   out: target columns
// grid:  x strides over the rows                   block: shape.threads (32..512)
// shared: none
// result valid in: target and work.overflow, after the launch
// moves: reads n sizeof(T) B a row                 order: any
// why:   few lanes a row, so that a lane adds most elements itself; the loads of the next run are in flight
template <class T>
TEGU_KERNEL TEGU_BOUNDS2((512 / kBlocksForRegisters), kBlocksForRegisters)
    reduce_integer_rows(Segments input, bool packs, ReduceTarget target, ReduceWork work, ReduceShape shape,
                        ReduceRange range) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    const unsigned lanes = shape.row_lanes;
    const unsigned lane_of_row = lane_index() & (lanes - 1);
    const std::uint64_t warp_rows = kWarpLanes / lanes;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * warp_rows;
    const std::uint64_t in_warp = lane_index() / lanes;
    TEGU_NO_UNROLL
    for (std::uint64_t row = (std::uint64_t{block_x()} * block_warps() + warp_index()) * warp_rows;
         row < range.count; row += stride) {
        const std::uint64_t slot = row + in_warp;
        const bool mine = slot < range.count;
        const RowElements<T, kRun> elements(input, range.first + (mine ? slot : 0), packs);
        IntegerLane<T, kAllIntegerParts> lane;
        T ahead[kRun];
        unsigned next = elements.load(kRun * lane_of_row, ahead);
        TEGU_NO_UNROLL
        for (unsigned i = 0; i < shape.tiles_per_warp; ++i) {
            const unsigned run = lane_of_row + i * lanes;
            const unsigned count = next;
            T x[kRun];
            memcpy(x, ahead, sizeof x);
            if (i + 1 < shape.tiles_per_warp) next = elements.load(kRun * (run + lanes), ahead);
            lane.take_run(x, count, run);
        }
        IntegerPartial total = warp_tree<IntegerKind<kAllIntegerParts>>(lane.total(0), lanes);
        if (!mine || lane_of_row != 0) continue;
        total.min_at = first_in_run<EqualInteger<T>, T, kRun>(elements, total.min_at, total.min);
        total.max_at = first_in_run<EqualInteger<T>, T, kRun>(elements, total.max_at, total.max);
        end_integer<T, kAllIntegerParts>(target, work, slot, range.first + slot, total);
    }
}

}  // namespace cuda
}  // namespace tegu
