// SPDX-License-Identifier: Apache-2.0
// Tests whether an element may survive a cut, without its key where that is faster. For 32-bit floats one
// comparison replaces the ten instructions of the key.
#pragma once

#include "kernels/selection/cuda/sort_key.cuh"

namespace tegu {
namespace cuda {

// A limit for keys. admits() is true for each element whose key is at most the limit, and for no others if
// `exact`.
template <class U, bool Float>
struct KeyLimit {
    U limit;
    static constexpr bool exact = true;

    TEGU_DEVICE KeyLimit(U limit_key, U) : limit(limit_key) {}
    TEGU_DEVICE bool admits(U bits, U flip) const { return encode_key(bits, flip, Float) <= limit; }
    // The bits of an element that few limits admit.
    TEGU_DEVICE static U worst(U flip) { return static_cast<U>(~flip); }
};
template <>
struct KeyLimit<std::uint32_t, true> {
    float bound;
    bool exact;

    TEGU_DEVICE KeyLimit(std::uint32_t limit_key, std::uint32_t flip) : exact(true) {
        using Bits = FloatBits<std::uint32_t>;
        std::uint32_t bits = decode_key(limit_key, flip, true);
        if ((bits & ~Bits::kSign) > Bits::kInfinity) {
            exact = false;
            bits = (bits & Bits::kSign) | Bits::kInfinity;
        } else if (flip == 0 && bits == Bits::kSign) {
            bits = Bits::kSign | 1u;  // both zeros have the key behind this one
        }
        bound = bit_cast<float>(bits);
    }
    TEGU_DEVICE bool admits(std::uint32_t bits, std::uint32_t flip) const {
        const float value = bit_cast<float>(bits);
        if (flip != 0) return !(value < bound);  // largest: NaNs come first
        return value <= bound || !exact;         // smallest: NaNs come last
    }
    TEGU_DEVICE static std::uint32_t worst(std::uint32_t flip) {
        using Bits = FloatBits<std::uint32_t>;
        return flip != 0 ? Bits::kSign | Bits::kInfinity : Bits::kNan;
    }
};

// The best key that an element can have.
template <class U, bool Float>
TEGU_DEVICE U best_key(U flip) {
    using Bits = FloatBits<U>;
    const U best = flip != 0 ? Bits::kNan : static_cast<U>(Bits::kSign | Bits::kInfinity);
    return Float ? encode_key(best, flip, true) : U{0};
}

// The survivors of a cut: elements up to its index with keys up to its key, and elements behind it with
// better keys.
template <class U, bool Float>
struct FilterCut {
    U key;
    std::uint64_t index;
    KeyLimit<U, Float> before;
    KeyLimit<U, Float> behind;
    bool none_behind;

    TEGU_DEVICE FilterCut(const SelectState& state, U flip)
        : key(static_cast<U>(state.key)),
          index(state.index),
          before(key, flip),
          behind(key != 0 ? static_cast<U>(key - 1) : U{0}, flip),
          none_behind(key <= best_key<U, Float>(flip)) {}
    TEGU_DEVICE const KeyLimit<U, Float>& limit(bool is_behind_it) const {
        return is_behind_it ? behind : before;
    }
};

}  // namespace cuda
}  // namespace tegu
