// SPDX-License-Identifier: Apache-2.0
// The kernel of statistics of short rows of integers of 8 and 16 bits. Their sums are small: quotients of
// numbers below 2^53 are exact in f64 before the one rounding.
#pragma once

#include "kernels/statistics/cuda/integer.cuh"

namespace tegu {
namespace cuda {

// The total of a row of at most 512 bytes.
struct SmallTotal {
    std::int32_t sum;
    std::uint32_t l1;
    std::uint64_t squares;  // below 2^40
    std::uint32_t zeros;
    std::uint32_t min, max;        // keys: unsigned numbers in the order of the elements
    std::uint32_t min_in, max_in;  // the first run with it
};

constexpr std::uint32_t kSmallTurn = std::uint32_t{1} << 31;  // from a signed element to its key

template <class T, unsigned Parts>
TEGU_DEVICE SmallTotal small_total_of(const IntegerLane<T, Parts>& lane) {
    const IntegerPartial total = lane.total(0);
    SmallTotal small;
    small.sum = static_cast<std::int32_t>(total.sum[0]);
    small.l1 = static_cast<std::uint32_t>(Signedness<T>::kSigned ? total.l1[0] : total.sum[0]);
    small.squares = total.squares[0];
    small.zeros = static_cast<std::uint32_t>(total.zeros);
    // from order_key(): a lane without elements has the ends of the order
    small.min = static_cast<std::uint32_t>(total.min) ^ (Signedness<T>::kSigned ? kSmallTurn : 0);
    small.max = static_cast<std::uint32_t>(total.max) ^ (Signedness<T>::kSigned ? kSmallTurn : 0);
    small.min_in = static_cast<std::uint32_t>(total.min_at);
    small.max_in = static_cast<std::uint32_t>(total.max_at);
    if (small.min_in == ~std::uint32_t{0}) {
        small.min = ~std::uint32_t{0};
        small.max = 0;
    }
    return small;
}

template <class T, unsigned Parts>
TEGU_DEVICE void fold_small(SmallTotal* total, unsigned lanes) {
    TEGU_NO_UNROLL
    for (unsigned mask = 1; mask < lanes; mask *= 2) {
        total->sum += shuffle_xor(total->sum, mask);
        if (Signedness<T>::kSigned && (Parts & kPartMagnitudes)) total->l1 += shuffle_xor(total->l1, mask);
        if (Parts & kPartSquares) total->squares += shuffle_xor(total->squares, mask);
        if (!(Parts & kPartExtremes)) continue;
        total->zeros += shuffle_xor(total->zeros, mask);
        const std::uint32_t min = shuffle_xor(total->min, mask), min_in = shuffle_xor(total->min_in, mask);
        const std::uint32_t max = shuffle_xor(total->max, mask), max_in = shuffle_xor(total->max_in, mask);
        if (min < total->min || (min == total->min && min_in < total->min_in)) {
            total->min = min;
            total->min_in = min_in;
        }
        if (max > total->max || (max == total->max && max_in < total->max_in)) {
            total->max = max;
            total->max_in = max_in;
        }
    }
    if (!Signedness<T>::kSigned) total->l1 = static_cast<std::uint32_t>(total->sum);
}

// The statistics of squares and extremes of row `segment`, by one thread.
template <class T>
TEGU_DEVICE void finish_small_rest(const ReduceTarget& target, std::uint64_t segment,
                                   const RowElements<T, IntegerRun<T>::kElements>& elements,
                                   const SmallTotal& total) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    const auto n = static_cast<std::uint32_t>(target.n);
    put(target, kColumnNonzero, segment, std::uint64_t{n - total.zeros});
    if (target.column[kColumnL2] != nullptr)
        put(target, kColumnL2, segment, sqrt(static_cast<double>(total.squares)));
    if (target.column[kColumnVar] != nullptr || target.column[kColumnStd] != nullptr) {
        const std::uint64_t square = static_cast<std::uint64_t>(std::int64_t{total.sum} * total.sum);
        const double above = static_cast<double>(n * total.squares - square);
        const std::uint32_t under = n * (n - target.ddof);
        const double var =
            n > target.ddof ? above / static_cast<double>(under) : bit_cast<double>(kDoubleNan);
        put(target, kColumnVar, segment, var);
        put(target, kColumnStd, segment, n > target.ddof ? sqrt(var) : var);
    }
    const std::uint32_t turn = Signedness<T>::kSigned ? kSmallTurn : 0;
    const T min = static_cast<T>(total.min ^ turn), max = static_cast<T>(total.max ^ turn);
    put(target, kColumnMin, segment, min);
    put(target, kColumnMax, segment, max);
    put(target, kColumnMinmax, 2 * segment, min);
    put(target, kColumnMinmax, 2 * segment + 1, max);
    const int lowest = min, highest = max;
    const int low = lowest < 0 ? -lowest : lowest, high = highest < 0 ? -highest : highest;
    put(target, kColumnAbsmax, segment, static_cast<T>(low > high ? low : high));
    if (target.column[kColumnArgmin] != nullptr)
        put(target, kColumnArgmin, segment,
            first_in_run<EqualInteger<T>, T, kRun>(elements, total.min_in, order_key(min)));
    if (target.column[kColumnArgmax] != nullptr)
        put(target, kColumnArgmax, segment,
            first_in_run<EqualInteger<T>, T, kRun>(elements, total.max_in, order_key(max)));
}

template <class T, unsigned Parts>
TEGU_DEVICE void finish_small(const ReduceTarget& target, std::uint64_t segment,
                              const RowElements<T, IntegerRun<T>::kElements>& elements,
                              const SmallTotal& total) {
    put(target, kColumnCount, segment, target.n);
    put(target, kColumnNans, segment, std::uint64_t{0});
    put(target, kColumnSum, segment, std::int64_t{total.sum});
    put(target, kColumnL1, segment, std::uint64_t{total.l1});
    if (target.column[kColumnMean] != nullptr)
        put(target, kColumnMean, segment, static_cast<double>(total.sum) / static_cast<double>(target.n));
    if (Parts & kPartExtremes) finish_small_rest<T>(target, segment, elements, total);
}

// reduce_small_rows: statistics of rows of up to 512 bytes of small integers, each by a group of lanes.
// in:    input [segments, n] T, 32 runs at most   out: target columns
// grid:  x strides over the rows                   block: shape.threads (32..512)
// shared: none                                     result valid in: target, after the launch
// moves: reads n sizeof(T) B a row                 order: any
// why:   all sums of a row fit words and every quotient is one division, so no lane calls the long code of
//        reduce_integer_rows
template <class T, unsigned Parts>
TEGU_KERNEL TEGU_BOUNDS2((512 / kBlocksForRegisters), kBlocksForRegisters)
    reduce_small_rows(Segments input, bool packs, ReduceTarget target, ReduceShape shape, ReduceRange range) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    const unsigned lanes = shape.row_lanes;
    const unsigned lane_of_row = lane_index() & (lanes - 1);
    const std::uint64_t warp_rows = kWarpLanes / lanes;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * warp_rows;
    const std::uint64_t in_warp = lane_index() / lanes;
    TEGU_NO_UNROLL
    for (std::uint64_t row = (std::uint64_t{block_x()} * block_warps() + warp_index()) * warp_rows;
         row < range.count; row += stride) {
        const bool mine = row + in_warp < range.count;
        const std::uint64_t segment = range.first + (mine ? row + in_warp : 0);
        const RowElements<T, kRun> elements(input, segment, packs);
        IntegerLane<T, Parts> lane;
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
        SmallTotal total = small_total_of(lane);
        fold_small<T, Parts>(&total, lanes);
        if (mine && lane_of_row == 0) finish_small<T, Parts>(target, segment, elements, total);
    }
}

}  // namespace cuda
}  // namespace tegu
