// SPDX-License-Identifier: Apache-2.0
// What entropy_map does once per pixel before and after the counting: range, quantisation, and the division that makes a
// sum of table entries an entropy. Plain loops that the compiler turns into vectors; each pixel is read once.
#include <type_traits>

#include "kernels/cpu/entropy_map.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

template <class T>
inline T load(const std::byte* source, std::size_t index) {
    T value;
    __builtin_memcpy(&value, source + index * sizeof(T), sizeof value);
    return value;
}

// The whole range of an integer type in `levels` equal parts: (v - smallest) * levels / 2^bits.
template <class T>
void quantise_whole(const std::byte* source, std::size_t n, std::uint32_t levels, std::uint8_t* out) {
    using Unsigned = std::make_unsigned_t<T>;
    using Wide = std::conditional_t<sizeof(T) == 1, std::uint16_t, std::uint64_t>;  // holds the product: levels <= 256
    constexpr unsigned kBits = 8 * sizeof(T);
    constexpr Unsigned kOffset =
        std::is_signed<T>::value ? static_cast<Unsigned>(Unsigned{1} << (kBits - 1)) : Unsigned{0};
    const Wide factor = static_cast<Wide>(levels);
    for (std::size_t i = 0; i < n; ++i) {
        const Wide shifted = static_cast<Unsigned>(static_cast<Unsigned>(load<T>(source, i)) ^ kOffset);
        out[i] = static_cast<std::uint8_t>(static_cast<Wide>(shifted * factor) >> kBits);
    }
}

template <class T>
bool quantise_range(const std::byte* source, std::size_t n, const EntropyScale& scale, std::uint8_t* out) {
    const float lo = scale.lo, inv = scale.inv;
    const float top = static_cast<float>(scale.levels - 1);
    std::uint32_t nans = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const float value = static_cast<float>(load<T>(source, i));
        nans |= static_cast<std::uint32_t>(value != value);
        float q = (value - lo) * inv;
        q = q > 0.0f ? q : 0.0f;  // NaN too
        q = q < top ? q : top;    // int(q) is the same for all q in [levels - 1, levels)
        out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(q));
    }
    return nans != 0;
}

template <class T>
bool quantise(const std::byte* source, std::size_t n, const EntropyScale& scale, std::uint8_t* out) {
    if constexpr (std::is_integral<T>::value) {
        if (!scale.by_range) {
            quantise_whole<T>(source, n, scale.levels, out);
            return false;
        }
    }
    return quantise_range<T>(source, n, scale, out);
}

// Floats as integers of the same order, so that a minimum is one vector instruction whatever the NaN rules are.
inline std::int32_t ordered_key(std::int32_t bits) {
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

inline float value_of_key(std::int32_t key) {
    const std::int32_t bits = ordered_key(key);
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace

#define TEGU_X(Name, word, type)                                                                    \
    bool entropy_quantise_##word(const std::byte* source, std::size_t n, const EntropyScale& scale, \
                                 std::uint8_t* out) {                                               \
        return quantise<type>(source, n, scale, out);                                               \
    }
TEGU_ENTROPY_TYPES(TEGU_X)
#undef TEGU_X

void entropy_range_f32(const std::byte* source, std::size_t n, float* lo, float* hi) {
    constexpr std::int32_t kExponent = 0x7f800000, kHighest = 0x7fffffff;
    std::int32_t low = kHighest, high = ~kHighest;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t bits = load<std::int32_t>(source, i);
        const std::int32_t finite = -static_cast<std::int32_t>((bits & kExponent) != kExponent);  // all ones, or 0
        const std::int32_t key = ordered_key(bits);
        const std::int32_t low_key = (key & finite) | (kHighest & ~finite);
        const std::int32_t high_key = (key & finite) | (~kHighest & ~finite);
        low = low_key < low ? low_key : low;
        high = high_key > high ? high_key : high;
    }
    if (low > high) return;  // no finite pixel
    if (value_of_key(low) < *lo) *lo = value_of_key(low);
    if (value_of_key(high) > *hi) *hi = value_of_key(high);
}

void entropy_finish(const std::uint32_t* sums, const std::uint32_t* whole, const float* divisor, std::size_t n,
                    float* out) {
    for (std::size_t i = 0; i < n;
         ++i)  // the difference is below 2^31: converted as signed, which every instruction set can
        out[i] = static_cast<float>(static_cast<std::int32_t>(whole[i] - sums[i])) / divisor[i];
}

}  // namespace tegu::kernels::TEGU_ISA
