// SPDX-License-Identifier: Apache-2.0
// The chunk kernels of the integer types. Integer statistics are exact, so their order is free: each tile runs plain loops
// with accumulators that cannot overflow within 1024 elements, and adds them to the wide totals of the chunk.
#include "kernels/cpu/reduce_chunk.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

template <class T>
constexpr bool is_signed() {
    return T(-1) < T(0);
}

template <std::size_t Bytes>
struct Wide;  // unsigned types by width
template <>
struct Wide<1> {
    using Unsigned = std::uint8_t;
    using Square = std::uint32_t;  // 1024 squares below 2^16
    using Sum = std::int32_t;
};
template <>
struct Wide<2> {
    using Unsigned = std::uint16_t;
    using Square = std::uint64_t;
    using Sum = std::int32_t;
};
template <>
struct Wide<4> {
    using Unsigned = std::uint32_t;
    using Sum = std::int64_t;
};
template <>
struct Wide<8> {
    using Unsigned = std::uint64_t;
};

template <class T>
using UnsignedOf = typename Wide<sizeof(T)>::Unsigned;

// |x| without overflow at the smallest value.
template <class T>
UnsignedOf<T> magnitude(T x) {
    const auto bits = static_cast<UnsignedOf<T>>(x);
    return static_cast<UnsignedOf<T>>(x < T(0) ? UnsignedOf<T>(0) - bits : bits);
}

// Sums of 64-bit values as two sums of halves, which vectorise.
template <class F, class T>
Uint128 sum_halves(const T* x, std::size_t n) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t v = F::of(x[i]);
        low += v & 0xffffffffu;
        high += v >> 32;
    }
    return (static_cast<Uint128>(high) << 32) + low;
}

constexpr std::uint64_t kBias = std::uint64_t{1} << 63;
struct Biased {  // two's complement order moved to 0..2^64-1
    static std::uint64_t of(std::int64_t x) { return static_cast<std::uint64_t>(x) ^ kBias; }
    static std::uint64_t of(std::uint64_t x) { return x; }
};
struct Magnitude {
    template <class T>
    static std::uint64_t of(T x) {
        return magnitude(x);
    }
};

template <class T>
Int128 tile_sum(const T* x, std::size_t n) {
    if constexpr (sizeof(T) == 8) {
        const Int128 sum = static_cast<Int128>(sum_halves<Biased>(x, n));
        return is_signed<T>() ? sum - (static_cast<Int128>(kBias) * static_cast<Int128>(n)) : sum;
    } else {
        typename Wide<sizeof(T)>::Sum sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += x[i];
        return sum;
    }
}

template <class T>
Uint128 tile_l1(const T* x, std::size_t n) {
    if constexpr (sizeof(T) == 8) {
        return sum_halves<Magnitude>(x, n);
    } else {
        typename Wide<sizeof(T)>::Sum sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += magnitude(x[i]);
        return static_cast<Uint128>(sum);
    }
}

void add_limbs(std::uint64_t limbs[3], Uint128 low, std::uint64_t high) {
    const Uint128 sum = ((static_cast<Uint128>(limbs[1]) << 64) | limbs[0]) + low;
    limbs[0] = static_cast<std::uint64_t>(sum);
    limbs[1] = static_cast<std::uint64_t>(sum >> 64);
    limbs[2] += high + (sum < low);
}

template <class T>
void add_squares(const T* x, std::size_t n, std::uint64_t limbs[3]) {
    if constexpr (sizeof(T) <= 2) {
        typename Wide<sizeof(T)>::Square sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t m = magnitude(x[i]);
            sum += m * m;
        }
        add_limbs(limbs, sum, 0);
    } else if constexpr (sizeof(T) == 4) {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t m = magnitude(x[i]);
            const std::uint64_t square = m * m;
            low += square & 0xffffffffu;
            high += square >> 32;
        }
        add_limbs(limbs, (static_cast<Uint128>(high) << 32) + low, 0);
    } else {
        Uint128 sum = 0;
        std::uint64_t carries = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t m = magnitude(x[i]);
            const Uint128 square = static_cast<Uint128>(m) * m;
            sum += square;
            carries += sum < square;
        }
        add_limbs(limbs, sum, carries);
    }
}

template <class T>
struct Extremes {
    T min;
    T max;
};

template <class T>
Extremes<T> tile_extremes(const T* x, std::size_t n) {
    T min = x[0];
    T max = x[0];
    for (std::size_t i = 0; i < n; ++i) {
        min = x[i] < min ? x[i] : min;
        max = x[i] > max ? x[i] : max;
    }
    return {min, max};
}

template <class T>
std::uint64_t tile_zeros(const T* x, std::size_t n) {
    UnsignedOf<T> count = 0;  // as wide as T, so that the loop vectorises well
    std::uint64_t total = 0;
    constexpr std::size_t kBlock = sizeof(T) == 1 ? 128 : kTileElements;
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
        const std::size_t end = n - begin < kBlock ? n : begin + kBlock;
        count = 0;
        for (std::size_t i = begin; i < end; ++i) count = static_cast<UnsignedOf<T>>(count + (x[i] == T(0)));
        total += count;
    }
    return total;
}

template <class T>
void reduce_chunk(unsigned needs, const T* x, std::size_t n, IntegerPartial* out) {
    out->sum = 0;
    out->l1 = 0;
    out->squares[0] = out->squares[1] = out->squares[2] = 0;
    out->zeros = 0;
    T min = x[0];
    T max = x[0];
    for (std::size_t begin = 0; begin < n; begin += kTileElements) {
        const std::size_t width = n - begin < kTileElements ? n - begin : kTileElements;
        const T* tile = x + begin;
        if (needs & (kNeedSum | kNeedMoments)) out->sum += tile_sum(tile, width);
        if (needs & kNeedL1) out->l1 += tile_l1(tile, width);
        if (needs & kNeedMoments) add_squares(tile, width, out->squares);
        if (needs & kNeedZeros) out->zeros += tile_zeros(tile, width);
        if (needs & kNeedExtrema) {
            const Extremes<T> e = tile_extremes(tile, width);
            min = e.min < min ? e.min : min;
            max = e.max > max ? e.max : max;
        }
    }
    out->min = min;
    out->max = max;
}

}  // namespace

#define TEGU_X(word, type)                                                                           \
    void reduce_chunk_##word(unsigned needs, const void* data, std::size_t n, IntegerPartial* out) { \
        reduce_chunk(needs, static_cast<const type*>(data), n, out);                                 \
    }
TEGU_REDUCE_INTEGER_KERNELS(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels::TEGU_ISA
