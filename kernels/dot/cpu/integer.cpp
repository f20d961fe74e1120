// SPDX-License-Identifier: Apache-2.0
// The chunk kernels of dot for integers. The sums are exact, so their order is free: plain loops with
// accumulators that cannot overflow within a piece. Each piece is then widened into 192 bits.
#include <type_traits>

#include "kernels/dot/cpu/chunk.h"
#include "kernels/execution/cpu/elementwise.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

constexpr std::size_t kPiece = kTileElements;

// Products of 8-bit elements: a piece of them fits 32 bits.
template <class T>
Int128 sum_bytes(const std::byte* x, const std::byte* y, std::size_t n) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += static_cast<std::int32_t>(static_cast<std::int16_t>(load<T>(x, i))) *
               static_cast<std::int32_t>(static_cast<std::int16_t>(load<T>(y, i)));
    return sum;
}

inline Int128 piece(const std::byte* x, const std::byte* y, std::size_t n, std::uint8_t) {
    return sum_bytes<std::uint8_t>(x, y, n);
}
inline Int128 piece(const std::byte* x, const std::byte* y, std::size_t n, std::int8_t) {
    return sum_bytes<std::int8_t>(x, y, n);
}
inline Int128 piece(const std::byte* x, const std::byte* y, std::size_t n, std::uint16_t) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += std::uint32_t{load<std::uint16_t>(x, i)} * std::uint32_t{load<std::uint16_t>(y, i)};
    return sum;
}
inline Int128 piece(const std::byte* x, const std::byte* y, std::size_t n, std::int16_t) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += std::int32_t{load<std::int16_t>(x, i)} * std::int32_t{load<std::int16_t>(y, i)};
    return sum;
}

// Products of 32-bit elements as two sums of halves.
inline Int128 piece(const std::byte* x, const std::byte* y, std::size_t n, std::uint32_t) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t product = std::uint64_t{load<std::uint32_t>(x, i)} * load<std::uint32_t>(y, i);
        low += product & 0xffffffffu;
        high += product >> 32;
    }
    return (static_cast<Int128>(high) << 32) + low;
}
// The same, with 2^62 added to each product so that none is negative.
inline Int128 piece(const std::byte* x, const std::byte* y, std::size_t n, std::int32_t) {
    constexpr std::uint64_t kBias = std::uint64_t{1} << 62;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t product = std::int64_t{load<std::int32_t>(x, i)} * load<std::int32_t>(y, i);
        const std::uint64_t biased = static_cast<std::uint64_t>(product) + kBias;
        low += biased & 0xffffffffu;
        high += biased >> 32;
    }
    return ((static_cast<Int128>(high) << 32) + low) - static_cast<Int128>(kBias) * static_cast<Int128>(n);
}

// low + 2^64 * high as 192 bits. REQUIRES: |low|, |high| < 2^127.
inline IntegerDot combine(Int128 low, Int128 high) {
    high += low >> 64;
    return IntegerDot{{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high),
                       static_cast<std::uint64_t>(high >> 64)}};
}

// Products of 64-bit elements: their low words and their high words in sums of 128 bits.
template <class T>
IntegerDot dot_words(const std::byte* x, const std::byte* y, std::size_t n) {
    using Product = std::conditional_t<(T(-1) < T(0)), Int128, Uint128>;
    // turns the sign bit of high words: then they are not negative
    constexpr std::uint64_t kBias = T(-1) < T(0) ? std::uint64_t{1} << 63 : 0;
    Uint128 low = 0;
    Uint128 high = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto product = static_cast<Uint128>(static_cast<Product>(load<T>(x, i)) * load<T>(y, i));
        low += static_cast<std::uint64_t>(product);
        high += static_cast<std::uint64_t>(product >> 64) ^ kBias;
    }
    return combine(static_cast<Int128>(low), static_cast<Int128>(high - static_cast<Uint128>(kBias) * n));
}

template <class T>
IntegerDot dot_chunk(const std::byte* x, const std::byte* y, std::size_t n) {
    if constexpr (sizeof(T) == 8) {
        return dot_words<T>(x, y, n);
    } else {
        Int128 total = 0;
        for (std::size_t begin = 0; begin < n; begin += kPiece) {
            const std::size_t width = n - begin < kPiece ? n - begin : kPiece;
            total += piece(x + begin * sizeof(T), y + begin * sizeof(T), width, T());
        }
        return combine(total, 0);
    }
}

}  // namespace

#define TEGU_X(number, Name, word, type)                                                                  \
    void dot_chunk_##word(const std::byte* x, const std::byte* y, std::size_t n, bool, IntegerDot* out) { \
        *out = dot_chunk<type>(x, y, n);                                                                  \
    }
TEGU_INTEGER_TYPES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels::TEGU_ISA
