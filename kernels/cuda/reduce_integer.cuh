// SPDX-License-Identifier: Apache-2.0
// Statistics of integers: exact, so the order is free. A lane keeps sums as wide as its elements need; 128 and 192 bits are pairs and triples of words.
#pragma once

#include "kernels/cuda/reduce_load.cuh"
#include "kernels/cuda/reduce_team.cuh"

namespace tegu {
namespace cuda {

enum IntegerPart : unsigned { kPartSquares = 1, kPartExtremes = 2, kPartMagnitudes = 4 };
constexpr unsigned kAllIntegerParts = kPartSquares | kPartExtremes | kPartMagnitudes;

struct IntegerPartial : ReduceTotal {
    TEGU_DEVICE IntegerPartial() {
        sum[0] = sum[1] = zeros = l1[0] = l1[1] = squares[0] = squares[1] = squares[2] = max = 0;
        min = min_at = max_at = ~std::uint64_t{0};
    }
};

// a = a + b with the carry into the next limb returned.
TEGU_DEVICE std::uint64_t add_carrying(std::uint64_t* a, std::uint64_t b) {
    *a += b;
    return *a < b ? 1u : 0u;
}
template <unsigned N>
TEGU_DEVICE void add_limbs(std::uint64_t (&a)[N], const std::uint64_t (&b)[N]) {
    std::uint64_t carry = 0;
    TEGU_UNROLL
    for (unsigned i = 0; i < N; ++i) {
        const std::uint64_t over = add_carrying(&a[i], carry);
        carry = over + add_carrying(&a[i], b[i]);
    }
}

template <unsigned Parts>
struct IntegerKind {
    using Partial = IntegerPartial;
    static constexpr unsigned kWords = (Parts & kPartExtremes) ? 12 : Parts != 0 ? 8 : 2;

    TEGU_DEVICE static void merge(IntegerPartial* a, const IntegerPartial& b) {
        add_limbs(a->sum, b.sum);
        if (Parts & kPartMagnitudes) add_limbs(a->l1, b.l1);
        if (Parts & kPartSquares) add_limbs(a->squares, b.squares);
        if (Parts & kPartExtremes) {
            a->zeros += b.zeros;
            if (b.min < a->min || (b.min == a->min && b.min_at < a->min_at)) {
                a->min = b.min;
                a->min_at = b.min_at;
            }
            if (b.max > a->max || (b.max == a->max && b.max_at < a->max_at)) {
                a->max = b.max;
                a->max_at = b.max_at;
            }
        }
    }
};

template <class T>
struct IntegerRun {
    static constexpr unsigned kElements = 16 / sizeof(T);
    static constexpr unsigned kTile = kTileRuns * kWarpLanes * kElements;
};

template <class T>
struct Signedness {
    static constexpr bool kSigned = static_cast<T>(-1) < static_cast<T>(1);
};
template <class T>
TEGU_DEVICE std::uint64_t order_key(T value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return Signedness<T>::kSigned ? bits ^ (std::uint64_t{1} << 63) : bits;
}

// What a lane adds up over its runs. Positions are relative to the warp's first element.
template <class T, unsigned Parts>
class IntegerLane {
  public:
    static constexpr unsigned kRun = IntegerRun<T>::kElements;

    // A whole run whose first element is at `position`.
    TEGU_DEVICE void take_run(const T (&x)[kRun], std::uint32_t position) {
        T low = x[0];
        T high = x[0];
        std::uint64_t sum = 0;
        TEGU_UNROLL
        for (unsigned i = 0; i < kRun; ++i) {
            add(x[i], &sum);
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        add_sum(sum);
        if (!(Parts & kPartExtremes)) return;
        if (low < min_ || min_at_ == kNone) {
            min_ = low;
            min_at_ = position + first_equal(x, low);
        }
        if (high > max_ || max_at_ == kNone) {
            max_ = high;
            max_at_ = position + first_equal(x, high);
        }
    }
    // The first `count` elements of a run.
    TEGU_DEVICE void take_some(const T (&x)[kRun], unsigned count, std::uint32_t position) {
        std::uint64_t sum = 0;
        TEGU_UNROLL
        for (unsigned i = 0; i < kRun; ++i) {
            if (i >= count) continue;
            add(x[i], &sum);
            if (!(Parts & kPartExtremes)) continue;
            if (x[i] < min_ || min_at_ == kNone) {
                min_ = x[i];
                min_at_ = position + i;
            }
            if (x[i] > max_ || max_at_ == kNone) {
                max_ = x[i];
                max_at_ = position + i;
            }
        }
        add_sum(sum);
    }
    // `base`: the index of the warp's first element.
    TEGU_DEVICE IntegerPartial partial(std::uint64_t base) const {
        IntegerPartial out;
        out.sum[0] = sum_;
        out.sum[1] = sizeof(T) == 8 ? sum_high_ : Signedness<T>::kSigned ? 0 - (sum_ >> 63) : 0;
        if (Parts & kPartMagnitudes) {
            out.l1[0] = l1_;
            out.l1[1] = l1_high_;
        }
        if (Parts & kPartSquares) {
            out.squares[0] = squares_[0];
            out.squares[1] = squares_[1];
            out.squares[2] = squares_[2];
        }
        if ((Parts & kPartExtremes) && min_at_ != kNone) {
            out.min = order_key(min_);
            out.max = order_key(max_);
            out.min_at = base + min_at_;
            out.max_at = base + max_at_;
            out.zeros = zeros_;
        }
        return out;
    }

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    TEGU_DEVICE static std::uint32_t first_equal(const T (&x)[kRun], T value) {
        std::uint32_t at = 0;
        TEGU_UNROLL
        for (unsigned i = kRun; i-- > 0;)
            if (x[i] == value) at = i;
        return at;
    }
    // All but the extremes; narrow elements go to `sum`, which is that of a run.
    TEGU_DEVICE void add(T value, std::uint64_t* sum) {
        const auto wide = static_cast<std::uint64_t>(value);  // sign-extended
        const bool negative = Signedness<T>::kSigned && (wide >> 63) != 0;
        const std::uint64_t size = negative ? 0 - wide : wide;
        if (sizeof(T) == 8) {
            sum_high_ += add_carrying(&sum_, wide) + (negative ? ~std::uint64_t{0} : 0);
            if (Parts & kPartMagnitudes) l1_high_ += add_carrying(&l1_, size);
        } else {
            *sum += wide;
            if (Parts & kPartMagnitudes) l1_ += size;
        }
        if (Parts & kPartSquares) add_square(size);
        if (Parts & kPartExtremes) zeros_ += value == T(0) ? 1u : 0u;
    }
    TEGU_DEVICE void add_sum(std::uint64_t sum) {
        if (sizeof(T) != 8) sum_ += sum;
    }
    TEGU_DEVICE void add_square(std::uint64_t size) {
        if (sizeof(T) <= 2) {
            const auto narrow = static_cast<std::uint32_t>(size);
            squares_[0] += narrow * narrow;
        } else if (sizeof(T) == 4) {
            squares_[1] += add_carrying(&squares_[0], std::uint64_t{static_cast<std::uint32_t>(size)} * static_cast<std::uint32_t>(size));
        } else {
            const std::uint64_t carry = add_carrying(&squares_[0], size * size);
            squares_[2] += add_carrying(&squares_[1], multiply_high(size, size) + carry);
        }
    }

    std::uint64_t sum_ = 0;
    std::uint64_t sum_high_ = 0;
    std::uint64_t l1_ = 0;
    std::uint64_t l1_high_ = 0;
    std::uint64_t squares_[3] = {0, 0, 0};
    std::uint32_t zeros_ = 0;
    std::uint32_t min_at_ = kNone;
    std::uint32_t max_at_ = kNone;
    T min_ = 0;
    T max_ = 0;
};

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
TEGU_KERNEL TEGU_BOUNDS(512) reduce_integer(ReduceInput input, bool packs, ReduceWork work, ReduceShape shape, ReduceRange range) {
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
            const std::uint32_t offset = t * kTile + kRun * lane_index();
            const std::uint64_t begin = base + offset;
            if (base + t * kTile >= input.n) break;
            T x[kTileRuns][kRun];
            if (packs && !elements.gaps() && input.n - (base + t * kTile) >= kTile) {
                TEGU_UNROLL
                for (unsigned r = 0; r < kTileRuns; ++r) load_packs<T, kRun>(elements.data + begin + r * kRow, x[r]);
                TEGU_UNROLL
                for (unsigned r = 0; r < kTileRuns; ++r) lane.take_run(x[r], offset + r * kRow);
            } else {
                TEGU_NO_UNROLL
                for (unsigned r = 0; r < kTileRuns; ++r) {
                    elements.load(begin + r * kRow, x[0]);
                    lane.take_some(x[0], elements.count(begin + r * kRow), offset + r * kRow);
                }
            }
        }
    }
    IntegerPartial total = fold_totals<Parts>(lane.partial(base), kWarpLanes);
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
TEGU_KERNEL TEGU_BOUNDS(512) reduce_integer_rows(ReduceInput input, bool packs, ReduceWork work, ReduceShape shape, ReduceRange range) {
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
        if (slot < range.count) lane.take_some(ahead[0], elements.count(begin), static_cast<std::uint32_t>(begin));
        TEGU_UNROLL
        for (unsigned i = 0; i + 1 < kAhead; ++i) memcpy(ahead[i], ahead[i + 1], sizeof ahead[i]);
        const std::uint64_t next = row + kAhead * stride + in_warp;
        if (next < range.count) Elements<T, kRun>(input, range.first + next, packs).load(begin, ahead[kAhead - 1]);
        const IntegerPartial total = fold_totals<kAllIntegerParts>(lane.partial(0), lanes);
        if (slot < range.count && lane_index() % lanes == 0) static_cast<IntegerPartial*>(work.totals)[slot] = total;
    }
}

}  // namespace cuda
}  // namespace tegu
