// SPDX-License-Identifier: Apache-2.0
// Plain loops that the compiler vectorises; every key they write is at most `bins`, for any input.
#include "kernels/histogram/cpu/bins.h"

#include <type_traits>

#include "kernels/execution/cpu/element_load.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

inline double widen(Half half) {
    return static_cast<double>(widen_half(half.bits));
}
template <class T>
inline double widen(T value) {
    return static_cast<double>(value);
}

// 1 or 0 without a selection, which compilers would turn into a branch around the subtraction.
inline double one_if(bool condition) {
    const std::uint64_t bits = (~static_cast<std::uint64_t>(condition) + 1) & 0x3ff0000000000000u;
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// Everything is f64 until the end: compilers vectorise selections between values of equal width.
template <class T>
void estimate(const std::byte* source, std::size_t n, const BinScale& scale, std::uint32_t* keys) {
    const double lo = scale.lo, hi = scale.hi, step = scale.step, inv = scale.inv;
    const std::uint32_t bins = scale.bins;
    const double none = bins, last = none - 1, beyond = none + 1;
    for (std::size_t i = 0; i < n; ++i) {
        const double value = widen(load<T>(source, i));
        double position = (value - lo) * inv;
        position = position > 0 ? position : 0;  // NaN too
        position = position < none ? position : none;
        const double nearest = static_cast<double>(static_cast<std::int32_t>(position + 0.5));  // edge
        const double edge = lo + nearest * step;
        double bin = nearest - one_if(value < edge);
        bin = bin < last ? bin : last;   // the last bin holds its upper edge
        bin = value >= lo ? bin : none;  // and NaN
        bin = value > hi ? beyond : bin;
        const auto key = static_cast<std::uint32_t>(static_cast<std::int32_t>(bin));
        keys[i] = key < bins ? key : bins;
    }
}

// The number of `lower[1 .. count]` that are not above value.
template <class V>
inline std::uint32_t search(const V* lower, std::uint32_t count, V value) {
    std::uint32_t begin = 0, end = count;
    while (begin < end) {
        const std::uint32_t middle = begin + (end - begin + 1) / 2;
        if (lower[middle] <= value)
            begin = middle;
        else
            end = middle - 1;
    }
    return begin;
}

template <class T>
void search_edges(const std::byte* source, std::size_t n, const BinScale& scale, std::uint32_t* keys) {
    for (std::size_t i = 0; i < n; ++i) {
        const double value = widen(load<T>(source, i));
        const bool inside = value >= scale.lo && value <= scale.hi;
        keys[i] = inside ? search(scale.edges, scale.bins - 1, value) : scale.bins;
    }
}

template <class T>
void bin_wide(const std::byte* source, std::size_t n, const BinScale& scale, std::uint32_t* keys) {
    constexpr std::uint64_t kSign = std::is_signed<T>::value ? std::uint64_t{1} << 63 : 0;
    const double offset = scale.offset + 0.5;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t above = (static_cast<std::uint64_t>(load<T>(source, i)) ^ kSign) - scale.first;
        if (scale.empty || above > scale.span) {
            keys[i] = scale.bins;
        } else if (scale.search) {
            keys[i] = search(scale.lower, scale.top, above);
        } else {
            const double position = static_cast<double>(above) * scale.inv + offset;
            const auto estimated = static_cast<std::uint32_t>(static_cast<std::int64_t>(position));
            const std::uint32_t nearest = estimated < scale.top ? estimated : scale.top;
            keys[i] = nearest - static_cast<std::uint32_t>(above < scale.lower[nearest]);
        }
    }
}

template <class T>
void bin_keys(const std::byte* source, std::size_t n, const BinScale& scale, std::uint32_t* keys) {
    if constexpr (std::is_integral<T>::value && sizeof(T) == 8)
        bin_wide<T>(source, n, scale, keys);
    else if (scale.search)
        search_edges<T>(source, n, scale, keys);
    else
        estimate<T>(source, n, scale, keys);
}

}  // namespace

#define TEGU_X(number, Name, word, type)                                                \
    void bin_keys_##word(const std::byte* source, std::size_t n, const BinScale& scale, \
                         std::uint32_t* keys) {                                         \
        bin_keys<type>(source, n, scale, keys);                                         \
    }
TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels::TEGU_ISA
