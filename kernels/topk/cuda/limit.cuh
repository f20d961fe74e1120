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

// The survivors of a cut: elements before position `behind` with keys up to the cut's, and elements from
// there on with better keys.
template <class U, bool Float>
struct FilterCut {
    U key;
    std::uint32_t behind;
    KeyLimit<U, Float> before_it;
    KeyLimit<U, Float> behind_it;
    bool none_behind;

    TEGU_DEVICE FilterCut(U cut_key, std::uint32_t first_behind, U flip)
        : key(cut_key),
          behind(first_behind),
          before_it(key, flip),
          behind_it(key != 0 ? static_cast<U>(key - 1) : U{0}, flip),
          none_behind(key <= best_key<U, Float>(flip)) {}
    // The limit at a position.
    TEGU_DEVICE const KeyLimit<U, Float>& limit(std::uint32_t position) const {
        return position >= behind ? behind_it : before_it;
    }
    TEGU_DEVICE bool keeps(U own, std::uint32_t position) const {
        return own < key || (own == key && position < behind);
    }
};

}  // namespace cuda
}  // namespace tegu
