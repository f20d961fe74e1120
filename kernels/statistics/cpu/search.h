// SPDX-License-Identifier: Apache-2.0
// argmin and argmax: the pass over the data records the chunk with the extreme (or the first NaN). A search
// of that one chunk then finds the index.
#pragma once

#include <cstdint>

#include "base/half.h"
#include "kernels/execution/cpu/segment.h"
#include "kernels/statistics/cpu/find.h"
#include "kernels/statistics/finish.h"

namespace tegu::kernels {

// Equality and NaN on stored elements, in forms that vectorise.
template <class T>
struct EqualTo {
    T value;
    bool operator()(T x) const { return x == value; }
};
template <>
struct EqualTo<Half> {
    Half value;
    bool operator()(Half x) const { return x.bits == value.bits || ((x.bits | value.bits) & 0x7fffu) == 0; }
};
template <class T>
struct IsNan {
    bool operator()(T x) const { return x != x; }
};
template <>
struct IsNan<Half> {
    bool operator()(Half x) const { return (x.bits & 0x7fffu) > 0x7c00u; }
};

inline Half narrowed(double value, Half) {
    return float_to_half(static_cast<float>(value));
}
inline float narrowed(double value, float) {
    return static_cast<float>(value);
}
inline double narrowed(double value, double) {
    return value;
}

// The first element at or after `from`, in the chunk that starts there, for which `hit` is true. The chunk's
// partial result guarantees one; if the bytes have changed since, returns `from`.
template <class T, class Hit>
std::int64_t first_hit(const Segment& segment, std::uint64_t from, Hit hit) {
    constexpr std::size_t kBlock = 256;
    const std::uint64_t end = std::min<std::uint64_t>(segment.n, from + kChunkElements);
    alignas(64) T buffer[kBlock];
    for (std::uint64_t begin = from; begin < end; begin += kBlock) {
        const std::size_t count = std::min<std::uint64_t>(kBlock, end - begin);
        const T* block = buffer;
        if (segment.direct)
            block = reinterpret_cast<const T*>(segment.data) + begin;
        else
            gather(segment, begin, count, reinterpret_cast<std::byte*>(buffer));
        unsigned hits = 0;
        for (std::size_t i = 0; i < count; ++i) hits |= static_cast<unsigned>(hit(block[i]));
        if (hits == 0) continue;
        for (std::size_t i = 0; i < count; ++i)
            if (hit(block[i])) return static_cast<std::int64_t>(begin + i);
    }
    return static_cast<std::int64_t>(from);
}

inline std::size_t find_equal(const float* x, std::size_t n, float value) {
    return TEGU_ISA_SELECT(find_f32)(x, n, value);
}
inline std::size_t find_equal(const double* x, std::size_t n, double value) {
    return TEGU_ISA_SELECT(find_f64)(x, n, value);
}
// Two non-zero halves are equal if their bits are.
inline std::size_t find_equal(const Half* x, std::size_t n, Half value) {
    return TEGU_ISA_SELECT(find_bits16)(x, n, value.bits);
}
template <class T>
std::size_t find_equal(const T* x, std::size_t n, T value) {
    if constexpr (sizeof(T) == 1) return TEGU_ISA_SELECT(find_bits8)(x, n, static_cast<std::uint8_t>(value));
    if constexpr (sizeof(T) == 2)
        return TEGU_ISA_SELECT(find_bits16)(x, n, static_cast<std::uint16_t>(value));
    if constexpr (sizeof(T) == 4)
        return TEGU_ISA_SELECT(find_bits32)(x, n, static_cast<std::uint32_t>(value));
    if constexpr (sizeof(T) == 8)
        return TEGU_ISA_SELECT(find_bits64)(x, n, static_cast<std::uint64_t>(value));
}

inline bool has_one_form(Half value) {
    return (value.bits & 0x7fffu) != 0;
}
template <class T>
bool has_one_form(T) {
    return true;
}

// first_hit of an element that equals `value`.
template <class T>
std::int64_t first_equal(const Segment& segment, std::uint64_t from, T value) {
    if (!segment.direct || !has_one_form(value)) return first_hit<T>(segment, from, EqualTo<T>{value});
    const std::size_t n = std::min<std::uint64_t>(kChunkElements, segment.n - from);
    const std::size_t at = find_equal(reinterpret_cast<const T*>(segment.data) + from, n, value);
    return static_cast<std::int64_t>(at < n ? from + at : from);
}

template <class T>
std::int64_t find_extreme(const Segment& segment, bool skip_nans, const FloatPartial& partial, bool largest) {
    if (partial.nans != 0 && !skip_nans) return first_hit<T>(segment, partial.nan_at, IsNan<T>{});
    const std::uint64_t from = largest ? partial.max_at : partial.min_at;
    if (partial.nans == segment.n || from >= segment.n) return -1;
    return first_equal<T>(segment, from, narrowed(largest ? partial.max : partial.min, T{}));
}

template <class T>
std::int64_t find_extreme(const Segment& segment, bool, const IntegerPartial& partial, bool largest) {
    const T value = static_cast<T>(largest ? partial.max : partial.min);
    return first_equal<T>(segment, largest ? partial.max_at : partial.min_at, value);
}

}  // namespace tegu::kernels
