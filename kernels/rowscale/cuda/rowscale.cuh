// SPDX-License-Identifier: Apache-2.0
// Operations on the part of a row that a thread or a block holds: its largest magnitude, and the quotients.
// Magnitudes are compared as bits without the sign. Their order is that of the numbers, with every NaN above
// infinity. C++14.
#pragma once

#include "kernels/execution/cuda/element.cuh"
#include "kernels/execution/cuda/streaming.cuh"

namespace tegu {
namespace cuda {
namespace rowscale {

// Key<T>::of(x): the bits of |x|. Key<T>::scale(key): the element with these bits; every NaN becomes the
// canonical NaN.
template <class T>
struct Key;
template <>
struct Key<Half> {
    using type = std::uint32_t;
    TEGU_DEVICE static type of(Half x) { return x.bits & 0x7fffu; }
    TEGU_DEVICE static Half scale(type key) {
        return Half{key > 0x7c00u ? kHalfNan : static_cast<std::uint16_t>(key)};
    }
};
template <>
struct Key<float> {
    using type = std::uint32_t;
    TEGU_DEVICE static type of(float x) { return bit_cast<std::uint32_t>(x) & 0x7fffffffu; }
    TEGU_DEVICE static float scale(type key) { return bit_cast<float>(key > 0x7f800000u ? kFloatNan : key); }
};
template <>
struct Key<double> {
    using type = std::uint64_t;
    TEGU_DEVICE static type of(double x) { return bit_cast<std::uint64_t>(x) & 0x7fffffffffffffffu; }
    TEGU_DEVICE static double scale(type key) {
        return bit_cast<double>(key > 0x7ff0000000000000u ? kDoubleNan : key);
    }
};

template <class T>
TEGU_DEVICE typename Key<T>::type larger_key(typename Key<T>::type key, T x, bool skip_nans) {
    const typename Key<T>::type of_x = skip_nans && is_nan(x) ? 0 : Key<T>::of(x);
    return of_x > key ? of_x : key;
}

// The divisor of a row: its scale, or 1 where the scale is 0, which leaves the row unchanged.
template <class T>
struct Divisor {
    typename Arithmetic<T>::type value;
    TEGU_DEVICE explicit Divisor(typename Key<T>::type key)
        : value(key == 0 ? typename Arithmetic<T>::type(1) : widen(Key<T>::scale(key))) {}
    TEGU_DEVICE T of(T x) const { return Narrow<T>::of(widen(x) / value); }
};

template <class K>
TEGU_DEVICE K larger(K a, K b) {
    return a > b ? a : b;
}

// The largest key of the block.
template <class K>
TEGU_DEVICE K block_max(K key) {
    TEGU_SHARED_ARRAY(K, of_warp, 32);
    const auto warp_max = [](K own) {
        TEGU_UNROLL
        for (unsigned mask = kWarpLanes / 2; mask != 0; mask /= 2) own = larger(own, shuffle_xor(own, mask));
        return own;
    };
    key = warp_max(key);
    if (lane_index() == 0) of_warp[warp_index()] = key;
    block_barrier();
    return warp_max(lane_index() < block_warps() ? of_warp[lane_index()] : K{0});
}

// A thread's part of a row: every `lanes`-th pack, starting with its own.
template <class T, unsigned Width, unsigned Packs>
struct Held {
    using Chunk = Pack<T, Width>;
    Chunk chunk[Packs];

    // `Last`: the row is not read again.
    template <bool Last>
    TEGU_DEVICE void load(const T* row, unsigned packs, unsigned first, unsigned lanes) {
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i) {
            const Chunk* const at = reinterpret_cast<const Chunk*>(row) + (first + i * lanes);
            if (first + i * lanes < packs) chunk[i] = Last ? load_last(at) : *at;
        }
    }
    TEGU_DEVICE typename Key<T>::type key(unsigned packs, unsigned first, unsigned lanes,
                                          bool skip_nans) const {
        typename Key<T>::type largest = 0;
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i)
            if (first + i * lanes < packs) {
                TEGU_UNROLL
                for (unsigned e = 0; e < Width; ++e) largest = larger_key(largest, chunk[i].at[e], skip_nans);
            }
        return largest;
    }
    // `Away`: the results leave cache capacity to other data.
    template <bool Away>
    TEGU_DEVICE void store(T* row, unsigned packs, unsigned first, unsigned lanes,
                           const Divisor<T>& divisor) {
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i)
            if (first + i * lanes < packs) {
                TEGU_UNROLL
                for (unsigned e = 0; e < Width; ++e) chunk[i].at[e] = divisor.of(chunk[i].at[e]);
                Chunk* const at = reinterpret_cast<Chunk*>(row) + (first + i * lanes);
                if (Away)
                    store_away(at, chunk[i]);
                else
                    *at = chunk[i];
            }
    }
};

}  // namespace rowscale
}  // namespace cuda
}  // namespace tegu
