// SPDX-License-Identifier: Apache-2.0
// Whether an element may survive a cut, told without its rank where that takes less: of 32-bit floats by one
// comparison, where the rank takes ten instructions.
#pragma once

#include "kernels/selection/cuda/sort_key.cuh"

namespace tegu {
namespace cuda {

// Elements whose ranks are at most a limit: admits() is true for each of them, and for no others if `exact`.
template <class U, bool Float>
struct RankLimit {
    U limit;
    static constexpr bool exact = true;

    TEGU_DEVICE RankLimit(U limit_rank, U) : limit(limit_rank) {}
    TEGU_DEVICE bool admits(U bits, U flip) const { return encode_rank(bits, flip, Float) <= limit; }
    // The bits of an element that few limits admit.
    TEGU_DEVICE static U worst(U flip) { return static_cast<U>(~flip); }
};
template <>
struct RankLimit<std::uint32_t, true> {
    float bound;
    bool exact;

    TEGU_DEVICE RankLimit(std::uint32_t limit_rank, std::uint32_t flip) : exact(true) {
        using Bits = FloatBits<std::uint32_t>;
        std::uint32_t bits = decode_rank(limit_rank, flip, true);
        if ((bits & ~Bits::kSign) > Bits::kInfinity) {
            exact = false;
            bits = (bits & Bits::kSign) | Bits::kInfinity;
        } else if (flip == 0 && bits == Bits::kSign) {
            bits = Bits::kSign | 1u;  // both zeros have the rank behind this one
        }
        bound = bit_cast<float>(bits);
    }
    TEGU_DEVICE bool admits(std::uint32_t bits, std::uint32_t flip) const {
        const float value = bit_cast<float>(bits);
        if (flip != 0) return !(value < bound);  // of the largest NaNs come first
        return value <= bound || !exact;         // of the smallest last
    }
    TEGU_DEVICE static std::uint32_t worst(std::uint32_t flip) {
        using Bits = FloatBits<std::uint32_t>;
        return flip != 0 ? Bits::kSign | Bits::kInfinity : Bits::kNan;
    }
};

// The best rank that an element can have.
template <class U, bool Float>
TEGU_DEVICE U best_rank(U flip) {
    using Bits = FloatBits<U>;
    const U best = flip != 0 ? Bits::kNan : static_cast<U>(Bits::kSign | Bits::kInfinity);
    return Float ? encode_rank(best, flip, true) : U{0};
}

// What survives a cut: elements up to its index with ranks up to its rank, behind that those that are better.
template <class U, bool Float>
struct FilterCut {
    U rank;
    std::uint64_t index;
    RankLimit<U, Float> before;
    RankLimit<U, Float> behind;
    bool none_behind;

    TEGU_DEVICE FilterCut(const SelectState& state, U flip)
        : rank(static_cast<U>(state.rank)),
          index(state.index),
          before(rank, flip),
          behind(rank != 0 ? static_cast<U>(rank - 1) : U{0}, flip),
          none_behind(rank <= best_rank<U, Float>(flip)) {}
    TEGU_DEVICE const RankLimit<U, Float>& limit(bool is_behind_it) const {
        return is_behind_it ? behind : before;
    }
};

}  // namespace cuda
}  // namespace tegu
