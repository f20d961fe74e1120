// SPDX-License-Identifier: Apache-2.0
// The scalar product of integers: the exact sum of the exact products, in 192 bits of two's complement.
#pragma once

#include "kernels/cuda/dot.h"
#include "kernels/cuda/reduce_integer.cuh"

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

// The products of a lane.
template <class T>
class ProductLane {
  public:
    TEGU_DEVICE void add(T x, T y) {
        const auto u = static_cast<std::uint64_t>(x);  // sign-extended
        const auto v = static_cast<std::uint64_t>(y);
        const std::uint64_t low = u * v;
        if (sizeof(T) <= 2) {
            limb_[0] += low;  // 2^31 of them at least fit 64 bits; a lane has fewer
        } else if (sizeof(T) == 4) {
            limb_[1] += add_carrying(&limb_[0], low) + (Signedness<T>::kSigned ? 0 - (low >> 63) : 0);
        } else {
            std::uint64_t high = multiply_high(u, v);
            if (Signedness<T>::kSigned) high -= ((u >> 63) != 0 ? v : 0) + ((v >> 63) != 0 ? u : 0);
            const std::uint64_t carry = add_carrying(&limb_[0], low);
            const std::uint64_t over = add_carrying(&limb_[1], carry);
            limb_[2] += over + add_carrying(&limb_[1], high) + (Signedness<T>::kSigned ? 0 - (high >> 63) : 0);
        }
    }
    TEGU_DEVICE DotLimbs limbs() const {
        DotLimbs out;
        out.limb[0] = limb_[0];
        out.limb[1] = limb_[1];
        out.limb[2] = limb_[2];
        const std::uint64_t sign =
            Signedness<T>::kSigned && (limb_[sizeof(T) <= 2 ? 0 : 1] >> 63) != 0 ? ~std::uint64_t{0} : 0;
        if (sizeof(T) <= 2) out.limb[1] = sign;
        if (sizeof(T) <= 4) out.limb[2] = sign;
        return out;
    }

  private:
    std::uint64_t limb_[3] = {0, 0, 0};
};

template <class T>
TEGU_DEVICE void put_dot(const DotWork& work, std::uint64_t slot, std::uint64_t sequence, const DotLimbs& sum) {
    static_cast<std::uint64_t*>(work.out)[sequence] = sum.limb[0];
    const std::uint64_t above = Signedness<T>::kSigned ? 0 - (sum.limb[0] >> 63) : 0;
    if (sum.limb[1] == above && sum.limb[2] == above) return;
    if (work.places.totals == nullptr) return;
    for (unsigned i = 0; i < 3; ++i) static_cast<std::uint64_t*>(work.places.totals)[3 * slot + i] = sum.limb[i];
    atomic_max(work.places.overflow, ~sequence);
}

// dot_integer: scalar products of sequences of integers, a group of tiles by each team of warps.
// in:    inputs x, y [sequences, n] T              out: work.out; work.places where a sequence has several groups
// grid:  x = groups of the launch / teams          block: shape.threads (32..512)
// shared: 24 B a warp                              result valid in: work.out and places.overflow, after the last launch of a sequence
// moves: reads 2 n sizeof(T) B a sequence          order: any
// why:   runs of 16 bytes, eight in flight a lane, whatever the type
template <class T>
TEGU_KERNEL TEGU_BOUNDS2(512, 2)
    dot_integer(DotInputs inputs, bool x_packs, bool y_packs, DotWork work, ReduceShape shape, ReduceRange range) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    constexpr unsigned kTile = IntegerRun<T>::kTile;
    constexpr unsigned kRow = kWarpLanes * kRun;
    constexpr unsigned kRows = 4;  // at a time
    TEGU_DYNAMIC_SHARED(memory);
    const TeamPlace place(shape, range);
    const std::uint64_t sequence = range.first + place.slot;
    const std::uint64_t base = (place.group * shape.team_warps + place.warp) * shape.tiles_per_warp * kTile;
    const std::uint64_t n = inputs.x.n;
    ProductLane<T> lane;
    if (place.active) {
        const Elements<T, kRun> x(inputs.x, sequence, x_packs);
        const Elements<T, kRun> y(inputs.y, sequence, y_packs);
        const bool dense = x_packs && y_packs && !x.gaps() && !y.gaps();
        TEGU_NO_UNROLL
        for (unsigned half = 0; half < shape.tiles_per_warp * (kTileRuns / kRows); ++half) {
            const std::uint64_t first = base + half * (kRows * kRow);
            const std::uint64_t self = first + kRun * lane_index();
            if (first >= n) break;
            if (dense && n - first >= kRows * kRow) {
                T left[kRows][kRun];
                T right[kRows][kRun];
                TEGU_UNROLL
                for (unsigned r = 0; r < kRows; ++r) {
                    load_packs<T, kRun>(x.data + self + r * kRow, left[r]);
                    load_packs<T, kRun>(y.data + self + r * kRow, right[r]);
                }
                TEGU_UNROLL
                for (unsigned r = 0; r < kRows; ++r) {
                    TEGU_UNROLL
                    for (unsigned i = 0; i < kRun; ++i) lane.add(left[r][i], right[r][i]);
                }
            } else {
                TEGU_NO_UNROLL
                for (unsigned r = 0; r < kRows; ++r) {
                    T left[kRun];
                    T right[kRun];
                    x.load(self + r * kRow, left);  // what is not there is zero
                    y.load(self + r * kRow, right);
                    TEGU_UNROLL
                    for (unsigned i = 0; i < kRun; ++i) lane.add(left[i], right[i]);
                }
            }
        }
    }
    DotLimbs sum = lane.limbs();
    if (close_sequence<DotLimbsKind>(&sum, kWarpLanes, place, shape, work.places, reinterpret_cast<std::uint64_t*>(memory)) &&
        place.leads() && lane_index() == 0)
        put_dot<T>(work, place.slot, sequence, sum);
}

// dot_integer_rows: scalar products of rows of up to 512 bytes, each by a segment of lanes.
// in:    inputs x, y [sequences, n] T              out: work.out, places.totals
// grid:  x strides over the rows                   block: shape.threads (32..512)
// shared: none                                     result valid in: work.out and places.overflow, after the launch
// moves: reads 2 n sizeof(T) B a row, writes 8     order: any
// why:   few lanes a row, so that most is added in one lane
template <class T>
TEGU_KERNEL TEGU_BOUNDS(512)
    dot_integer_rows(DotInputs inputs, bool x_packs, bool y_packs, DotWork work, ReduceShape shape, ReduceRange range) {
    constexpr unsigned kRun = IntegerRun<T>::kElements;
    const unsigned lanes = shape.segment_lanes;
    const std::uint64_t warp_rows = kWarpLanes / lanes;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_warps() * warp_rows;
    TEGU_NO_UNROLL
    for (std::uint64_t row = (std::uint64_t{block_x()} * block_warps() + warp_index()) * warp_rows; row < range.count;
         row += stride) {
        const std::uint64_t slot = row + lane_index() / lanes;
        const bool mine = slot < range.count;
        ProductLane<T> lane;
        const RowElements<T, kRun> x(inputs.x, range.first + (mine ? slot : 0), x_packs);
        const RowElements<T, kRun> y(inputs.y, range.first + (mine ? slot : 0), y_packs);
        TEGU_NO_UNROLL
        for (unsigned run = lane_index() % lanes; run < lanes * shape.tiles_per_warp; run += lanes) {
            T left[kRun];
            T right[kRun];
            x.load(kRun * run, left);
            y.load(kRun * run, right);
            TEGU_UNROLL
            for (unsigned i = 0; i < kRun; ++i) lane.add(left[i], right[i]);
        }
        const DotLimbs sum = warp_tree<DotLimbsKind>(lane.limbs(), lanes);
        if (mine && lane_index() % lanes == 0) put_dot<T>(work, slot, range.first + slot, sum);
    }
}

}  // namespace cuda
}  // namespace tegu
