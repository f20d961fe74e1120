// SPDX-License-Identifier: Apache-2.0
// Conversion of elements to levels, and the range of the finite elements: plain loops that the compiler
// vectorises.
#include "kernels/counting/cpu/levels.h"

#include <type_traits>

#include "kernels/execution/cpu/element_load.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

// The distance of an integer from the smallest value of its type.
template <class T>
inline std::make_unsigned_t<T> counted(T value) {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr Unsigned kSign = static_cast<Unsigned>(Unsigned{1} << (8 * sizeof(T) - 1));
    return static_cast<Unsigned>(static_cast<Unsigned>(value) ^
                                 (std::is_signed<T>::value ? kSign : Unsigned{0}));
}

// counted(v) * levels / 2^bits, rounded down.
template <class T, class Level>
void quantise_whole(const std::byte* source, std::size_t n, std::uint32_t levels, Level* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto value = counted(load<T>(source, i));
        if constexpr (sizeof(T) == 8) {
            const std::uint64_t lower = (value & 0xffffffffu) * levels >> 32;
            out[i] = static_cast<Level>(((value >> 32) * levels + lower) >> 32);
        } else if constexpr (sizeof(T) == 4) {
            out[i] = static_cast<Level>(std::uint64_t{value} * levels >> 32);
        } else if constexpr (sizeof(T) == 2 || sizeof(Level) == 2) {
            // 2^16 - 1 times 2^16 fits.
            out[i] = static_cast<Level>(std::uint32_t{value} * levels >> (8 * sizeof(T)));
        } else {  // 255 * 256 fits 16 bits
            out[i] = static_cast<Level>(
                static_cast<std::uint16_t>(value * static_cast<std::uint16_t>(levels)) >> 8);
        }
    }
}

// Correctly rounded conversions that every instruction set can vectorise. Two halves that are exact in f32
// are rounded once, by their sum.
inline float to_float(std::uint32_t value) {
    const float upper = static_cast<float>(static_cast<std::int32_t>(value >> 16));
    return upper * 65536.0f + static_cast<float>(static_cast<std::int32_t>(value & 0xffffu));
}

// Converts through f64, which holds 53 bits. For larger values the last bit is set if any lower bit is, so
// that the rounding to f32 is correct. The halves become f64 in the mantissas of 2^84 and 2^52.
inline float to_float(std::uint64_t value) {
    const std::uint64_t large = -static_cast<std::uint64_t>((value >> 53) != 0);  // all ones, or 0
    const std::uint64_t halved = (value >> 11) | static_cast<std::uint64_t>((value & 0x7ff) != 0);
    const std::uint64_t kept = (halved & large) | (value & ~large);
    const std::uint64_t upper_bits = (kept >> 32) | 0x4530000000000000u;
    const std::uint64_t lower_bits = (kept & 0xffffffffu) | 0x4330000000000000u;
    double upper, lower;
    __builtin_memcpy(&upper, &upper_bits, sizeof upper);
    __builtin_memcpy(&lower, &lower_bits, sizeof lower);
    const float factor = 1.0f + static_cast<float>(static_cast<std::int32_t>(large & 2047));
    return static_cast<float>((upper - (0x1p84 + 0x1p52)) + lower) * factor;
}

// The distance of an element from the lower edge, in f32.
template <class T>
inline float difference(T value, const LevelScale& scale) {
    if constexpr (std::is_integral<T>::value && sizeof(T) >= 4) {
        using Unsigned = std::make_unsigned_t<T>;
        const Unsigned base = static_cast<Unsigned>(scale.base), number = counted(value);
        const Unsigned above =
            static_cast<Unsigned>(-static_cast<Unsigned>(number > base));  // all ones, or 0
        return to_float(static_cast<Unsigned>((number - base) & above)) - scale.lo;
    } else if constexpr (std::is_same<T, double>::value) {
        return static_cast<float>(value - scale.lo64);
    } else {
        return static_cast<float>(value) - scale.lo;
    }
}

template <class T, class Level>
std::size_t quantise_range(const std::byte* source, std::size_t n, LevelScale scale, Level* out) {
    const float top = static_cast<float>(scale.levels - 1);
    std::uint32_t nans = 0;
    for (std::size_t i = 0; i < n; ++i) {
        float above;
        if constexpr (std::is_same<T, Half>::value)
            above = difference(widen_half(load<HalfBits>(source, i)), scale);
        else
            above = difference(load<T>(source, i), scale);
        nans += static_cast<std::uint32_t>(above != above);  // the edge is finite: only a NaN gives one
        float q = above * scale.inv;
        q = q > 0.0f ? q : 0.0f;  // NaN too, also that of 0 * infinity
        q = q < top ? q : top;    // int(q) is the same for all q in [levels - 1, levels)
        out[i] = static_cast<Level>(static_cast<std::int32_t>(q));
    }
    return nans;
}

template <class T, class Level>
std::size_t quantise(const std::byte* source, std::size_t n, const LevelScale& scale, Level* out) {
    if constexpr (std::is_integral<T>::value) {
        if (!scale.by_range) {
            quantise_whole<T>(source, n, scale.levels, out);
            return 0;
        }
    }
    return quantise_range<T>(source, n, scale, out);
}

// Maps floats to integers of the same order, so that a minimum is one vector instruction for any NaN rule.
template <class Bits>
inline Bits ordered_key(Bits bits) {
    constexpr Bits kMagnitude = static_cast<Bits>(~(std::make_unsigned_t<Bits>{1} << (8 * sizeof(Bits) - 1)));
    return static_cast<Bits>(bits ^ ((bits >> (8 * sizeof(Bits) - 1)) & kMagnitude));
}

// Keys of the smallest and largest finite element; low > high if there is none.
template <class Bits>
struct Keys {
    Bits low;
    Bits high;
};

template <class Bits>
Keys<Bits> find_keys(const std::byte* source, std::size_t n, Bits exponent) {
    constexpr Bits kHighest = static_cast<Bits>(~(std::make_unsigned_t<Bits>{1} << (8 * sizeof(Bits) - 1)));
    constexpr Bits kLowest = static_cast<Bits>(~kHighest);
    Bits low = kHighest, high = kLowest;
    for (std::size_t i = 0; i < n; ++i) {
        const Bits bits = load<Bits>(source, i);
        // all ones, or 0
        const Bits finite = static_cast<Bits>(-static_cast<Bits>((bits & exponent) != exponent));
        const Bits key = ordered_key(bits);
        const Bits low_key = static_cast<Bits>((key & finite) | (kHighest & ~finite));
        const Bits high_key = static_cast<Bits>((key & finite) | (kLowest & ~finite));
        low = low_key < low ? low_key : low;
        high = high_key > high ? high_key : high;
    }
    return {low, high};
}

inline double value_of_bits(std::int16_t bits) {
    return static_cast<double>(widen_half(static_cast<HalfBits>(bits)));
}
inline double value_of_bits(std::int32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
}
inline double value_of_bits(std::int64_t bits) {
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

template <class Bits>
void find_range(const std::byte* source, std::size_t n, Bits exponent, FiniteRange* range) {
    const Keys<Bits> keys = find_keys<Bits>(source, n, exponent);
    if (keys.low > keys.high) return;
    const double low = value_of_bits(ordered_key(keys.low)), high = value_of_bits(ordered_key(keys.high));
    if (low < range->lo) range->lo = low;
    if (high > range->hi) range->hi = high;
}

}  // namespace

#define TEGU_X(number, Name, word, type)                                                             \
    std::size_t quantise_u8_##word(const std::byte* source, std::size_t n, const LevelScale& scale,  \
                                   std::uint8_t* out) {                                              \
        return quantise<type>(source, n, scale, out);                                                \
    }                                                                                                \
    std::size_t quantise_u16_##word(const std::byte* source, std::size_t n, const LevelScale& scale, \
                                    std::uint16_t* out) {                                            \
        return quantise<type>(source, n, scale, out);                                                \
    }
TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X

void finite_range_f16(const std::byte* source, std::size_t n, FiniteRange* range) {
    find_range<std::int16_t>(source, n, 0x7c00, range);
}
void finite_range_f32(const std::byte* source, std::size_t n, FiniteRange* range) {
    find_range<std::int32_t>(source, n, 0x7f800000, range);
}
void finite_range_f64(const std::byte* source, std::size_t n, FiniteRange* range) {
    find_range<std::int64_t>(source, n, 0x7ff0000000000000, range);
}

}  // namespace tegu::kernels::TEGU_ISA
