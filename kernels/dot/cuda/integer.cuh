// SPDX-License-Identifier: Apache-2.0
// The scalar product of integers: the exact sum of the exact products, in 192 bits of two's complement.
#pragma once

#include <type_traits>

#include "kernels/dot/cuda/dot.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/statistics/cuda/integer.cuh"

namespace tegu {
namespace cuda {

struct DotLimbs {
    std::uint64_t limb[3];
    TEGU_DEVICE DotLimbs() { limb[0] = limb[1] = limb[2] = 0; }
};
struct DotLimbsKind {
    using Partial = DotLimbs;
    static constexpr unsigned kWords = 3;
    TEGU_DEVICE static void merge(DotLimbs* a, const DotLimbs& b) { add_limbs(a->limb, b.limb); }
};

// The products of a lane, at most 2048 bytes of each input. This bound determines the width of the sums. Each
// kind has
//   take(x, y)   adds the products of two runs
//   limbs()      their sum

// For elements of 64 bits.
template <class T, std::size_t Bytes = sizeof(T)>
class Products {
  public:
    TEGU_DEVICE void take(const RunWords& x, const RunWords& y) {
        T left[2];
        T right[2];
        memcpy(left, &x, sizeof left);
        memcpy(right, &y, sizeof right);
        TEGU_UNROLL
        for (unsigned i = 0; i < 2; ++i) {
            const auto u = static_cast<std::uint64_t>(left[i]);
            const auto v = static_cast<std::uint64_t>(right[i]);
            std::uint64_t high = multiply_high(u, v);
            if (Signedness<T>::kSigned) high -= ((u >> 63) != 0 ? v : 0) + ((v >> 63) != 0 ? u : 0);
            const std::uint64_t product[3] = {u * v, high, Signedness<T>::kSigned ? 0 - (high >> 63) : 0};
            add_limbs(sum_.limb, product);
        }
    }
    TEGU_DEVICE DotLimbs limbs() const { return sum_; }

  private:
    DotLimbs sum_;
};

// high 2^32 + low; low is not negative.
template <class S>
TEGU_DEVICE DotLimbs limbs_of(S low, S high) {
    DotLimbs out;
    out.limb[0] = static_cast<std::uint64_t>(low) + (static_cast<std::uint64_t>(high) << 32);
    const std::uint64_t carry = out.limb[0] < static_cast<std::uint64_t>(low) ? 1 : 0;
    out.limb[1] = static_cast<std::uint64_t>(high >> 32) + carry;
    out.limb[2] = Signedness<S>::kSigned ? 0 - (out.limb[1] >> 63) : 0;
    return out;
}

// For 32 bits: the two words of each product are added separately, which needs no carry.
template <class T>
class Products<T, 4> {
  public:
    TEGU_DEVICE void take(const RunWords& x, const RunWords& y) {
        TEGU_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
            const auto product = static_cast<Wider>(static_cast<T>(x.word[i])) * static_cast<T>(y.word[i]);
            low_ += static_cast<std::uint32_t>(product);
            high_ += product >> 32;
        }
    }
    TEGU_DEVICE DotLimbs limbs() const { return limbs_of<Wider>(low_, high_); }

  private:
    using Wider = typename std::conditional<Signedness<T>::kSigned, std::int64_t, std::uint64_t>::type;
    Wider low_ = 0;
    Wider high_ = 0;
};

// For 16 bits.
template <class T>
class Products<T, 2> {
  public:
    TEGU_DEVICE void take(const RunWords& x, const RunWords& y) {
        TEGU_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
            sum_ += static_cast<Wider>(static_cast<T>(x.word[i])) * static_cast<T>(y.word[i]);
            sum_ += static_cast<Wider>(static_cast<T>(x.word[i] >> 16)) * static_cast<T>(y.word[i] >> 16);
        }
    }
    TEGU_DEVICE DotLimbs limbs() const { return limbs_of<Wider>(sum_ & 0xffffffff, sum_ >> 32); }

  private:
    using Wider = typename std::conditional<Signedness<T>::kSigned, std::int64_t, std::uint64_t>::type;
    Wider sum_ = 0;
};

// For bytes, four at a time.
template <class T>
class Products<T, 1> {
  public:
    TEGU_DEVICE void take(const RunWords& x, const RunWords& y) {
        TEGU_UNROLL
        for (unsigned i = 0; i < 4; ++i)
            sum_ = Signedness<T>::kSigned ? static_cast<std::uint32_t>(add_signed_byte_products(
                                                x.word[i], y.word[i], static_cast<std::int32_t>(sum_)))
                                          : add_byte_products(x.word[i], y.word[i], sum_);
    }
    TEGU_DEVICE DotLimbs limbs() const {
        const auto sum = static_cast<std::int32_t>(sum_);
        return Signedness<T>::kSigned ? limbs_of<std::int64_t>(sum_, sum >> 31)
                                      : limbs_of<std::uint64_t>(sum_, 0);
    }

  private:
    std::uint32_t sum_ = 0;
};

template <class T>
TEGU_DEVICE void put_dot(const DotWork& work, std::uint64_t slot, std::uint64_t segment,
                         const DotLimbs& sum) {
    if (work.wide) {
        for (unsigned i = 0; i < 3; ++i) static_cast<std::uint64_t*>(work.out)[i] = sum.limb[i];
        return;
    }
    static_cast<std::uint64_t*>(work.out)[segment] = sum.limb[0];
    const std::uint64_t above = Signedness<T>::kSigned ? 0 - (sum.limb[0] >> 63) : 0;
    if (sum.limb[1] == above && sum.limb[2] == above) return;
    if (work.reduce.totals == nullptr) return;
    for (unsigned i = 0; i < 3; ++i)
        static_cast<std::uint64_t*>(work.reduce.totals)[3 * slot + i] = sum.limb[i];
    atomic_max(work.reduce.overflow, ~segment);
}

// dot_integer: scalar products of segments of integers, a group of tiles by each team of warps.
// in:    inputs x, y [segments, n] T
// out:   work.out; work.reduce where a segment has several groups
// grid:  x = groups of the launch / teams          block: shape.threads (32..512)
// shared: 24 B a warp
// result valid in: work.out and reduce.overflow, after the last launch of a segment
// moves: reads 2 n sizeof(T) B a segment          order: any
// why:   runs of 16 bytes, eight in flight a lane, whatever the type
template <class T>
TEGU_KERNEL TEGU_BOUNDS2(512, 2) dot_integer(DotInputs inputs, bool x_packs, bool y_packs, DotWork work,
                                             ReduceShape shape, ReduceRange range) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    constexpr unsigned kTile = IntegerRun<T>::kTile;
    constexpr unsigned kRow = kWarpLanes * kRun;
    constexpr unsigned kRows = 4;  // at a time
    TEGU_DYNAMIC_SHARED(memory);
    const TeamPosition position(shape, range, block_x());
    const std::uint64_t segment = range.first + position.slot;
    const std::uint64_t base =
        (position.group * shape.team_warps + position.warp) * shape.tiles_per_warp * kTile;
    const std::uint64_t n = inputs.x.n;
    Products<T> lane;
    if (position.active) {
        const Elements<T, kRun> x(inputs.x, segment, x_packs);
        const Elements<T, kRun> y(inputs.y, segment, y_packs);
        const bool dense = x_packs && y_packs && !x.gaps() && !y.gaps();
        TEGU_NO_UNROLL
        for (unsigned half = 0; half < shape.tiles_per_warp * (kTileRuns / kRows); ++half) {
            const std::uint64_t first = base + half * (kRows * kRow);
            const std::uint64_t self = first + kRun * lane_index();
            if (first >= n) break;
            if (dense && n - first >= kRows * kRow) {
                RunWords left[kRows];
                RunWords right[kRows];
                TEGU_UNROLL
                for (unsigned r = 0; r < kRows; ++r) {
                    left[r] = load_words(x.data + self + r * kRow);
                    right[r] = load_words(y.data + self + r * kRow);
                }
                TEGU_UNROLL
                for (unsigned r = 0; r < kRows; ++r) lane.take(left[r], right[r]);
            } else {
                TEGU_NO_UNROLL
                for (unsigned r = 0; r < kRows; ++r) {
                    T left[kRun];
                    T right[kRun];
                    x.load(self + r * kRow, left);  // missing elements are zero
                    y.load(self + r * kRow, right);
                    lane.take(words_of(left), words_of(right));
                }
            }
        }
    }
    DotLimbs sum = lane.limbs();
    if (close_segment<DotLimbsKind>(&sum, kWarpLanes, position, shape, work.reduce,
                                    reinterpret_cast<std::uint64_t*>(memory)) &&
        position.leads() && lane_index() == 0)
        put_dot<T>(work, position.slot, segment, sum);
}

// dot_integer_rows: scalar products of rows of up to 512 bytes, each by a group of lanes.
// in:    inputs x, y [segments, n] T              out: work.out, reduce.totals
// grid:  x strides over the rows                   block: shape.threads (32..512)
// shared: none
// result valid in: work.out and reduce.overflow, after the launch
// moves: reads 2 n sizeof(T) B a row, writes 8     order: any
// why:   few lanes a row, so that a lane adds most products itself
template <class T>
TEGU_KERNEL TEGU_BOUNDS(512) dot_integer_rows(DotInputs inputs, bool x_packs, bool y_packs, DotWork work,
                                              ReduceShape shape, ReduceRange range) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    const unsigned lanes = shape.row_lanes;
    const std::uint64_t warp_rows = kWarpLanes / lanes;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * warp_rows;
    TEGU_NO_UNROLL
    for (std::uint64_t row = (std::uint64_t{block_x()} * block_warps() + warp_index()) * warp_rows;
         row < range.count; row += stride) {
        const std::uint64_t slot = row + lane_index() / lanes;
        const bool mine = slot < range.count;
        Products<T> lane;
        const RowElements<T, kRun> x(inputs.x, range.first + (mine ? slot : 0), x_packs);
        const RowElements<T, kRun> y(inputs.y, range.first + (mine ? slot : 0), y_packs);
        TEGU_NO_UNROLL
        for (unsigned run = lane_index() % lanes; run < lanes * shape.tiles_per_warp; run += lanes) {
            T left[kRun];
            T right[kRun];
            x.load(kRun * run, left);
            y.load(kRun * run, right);
            lane.take(words_of(left), words_of(right));
        }
        const DotLimbs sum = warp_tree<DotLimbsKind>(lane.limbs(), lanes);
        if (mine && lane_index() % lanes == 0) put_dot<T>(work, slot, range.first + slot, sum);
    }
}

}  // namespace cuda
}  // namespace tegu
