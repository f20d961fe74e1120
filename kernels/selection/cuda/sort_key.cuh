// SPDX-License-Identifier: Apache-2.0
// Keys in device code (docs/numerics.md, "Top-k"), and the elements of a segment as keys.
#pragma once

#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/select.h"

namespace tegu {
namespace cuda {

template <class U>
struct FloatBits {
    static constexpr U kSign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
    static constexpr U kInfinity = static_cast<U>(sizeof(U) == 2   ? 0x7c00u
                                                  : sizeof(U) == 4 ? 0x7f800000u
                                                                   : 0x7ff0000000000000u);
    static constexpr U kNan = static_cast<U>(sizeof(U) == 2   ? 0x7e00u
                                             : sizeof(U) == 4 ? 0x7fc00000u
                                                              : 0x7ff8000000000000u);
};

template <class U>
TEGU_DEVICE U encode_key(U bits, U flip, bool is_float) {
    using Float = FloatBits<U>;
    if (sizeof(U) > 1 && is_float) {
        const U magnitude = static_cast<U>(bits & static_cast<U>(~Float::kSign));
        bits = magnitude > Float::kInfinity ? Float::kNan : magnitude == 0 ? U{0} : bits;
        bits = static_cast<U>(bits ^ ((bits & Float::kSign) != 0 ? static_cast<U>(~U{0}) : Float::kSign));
    }
    return static_cast<U>(bits ^ flip);
}

template <class U>
TEGU_DEVICE U decode_key(U key, U flip, bool is_float) {
    using Float = FloatBits<U>;
    U bits = static_cast<U>(key ^ flip);
    if (sizeof(U) > 1 && is_float)
        bits = static_cast<U>(bits ^ ((bits & Float::kSign) != 0 ? Float::kSign : static_cast<U>(~U{0})));
    return bits;
}

// One segment, read as keys. REQUIRES: indices < n.
template <class U>
struct KeyedSegment {
    const U* elements;
    std::uint64_t n;
    std::uint64_t cols;
    std::uint64_t stride;
    // (2^64 - 1) / cols: the high half of its product with an index is the row, or the row - 1; 0 for a
    // single row
    std::uint64_t reciprocal;
    U flip;
    bool is_float;

    TEGU_DEVICE KeyedSegment(const KeySegments& all, std::uint64_t number)
        : elements(static_cast<const U*>(all.data) + number * all.step),
          n(all.n),
          cols(all.cols),
          stride(all.stride),
          reciprocal(all.cols >= all.n ? 0 : ~std::uint64_t{0} / all.cols),
          flip(static_cast<U>(all.flip)),
          is_float(all.is_float) {}

    TEGU_DEVICE std::uint64_t offset(std::uint64_t index) const {
        if (reciprocal == 0) return index;
        std::uint64_t row = multiply_high(index, reciprocal);
        if (index - row * cols >= cols) ++row;
        return index + row * (stride - cols);
    }
    TEGU_DEVICE U bits(std::uint64_t index) const { return elements[offset(index)]; }
    TEGU_DEVICE U key_of(U bits) const { return encode_key(bits, flip, is_float); }
    TEGU_DEVICE U key(std::uint64_t index) const { return key_of(bits(index)); }
    TEGU_DEVICE static std::uint64_t index(std::uint64_t i) { return i; }
};

// Returns whether a pair is behind another.
template <class U>
TEGU_DEVICE bool is_behind(U key, std::uint64_t index, U other_key, std::uint64_t other_index) {
    return key > other_key || (key == other_key && index > other_index);
}

}  // namespace cuda
}  // namespace tegu
