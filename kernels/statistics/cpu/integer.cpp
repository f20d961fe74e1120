// SPDX-License-Identifier: Apache-2.0
// The chunk kernels of the integer types. Integer statistics are exact, so their order is free. Each tile
// runs plain loops with accumulators that cannot overflow within 1024 elements, and adds them to the wide
// totals of the chunk.
#include "kernels/execution/cpu/vectors.h"
#include "kernels/numerics/unsigned_of.h"
#include "kernels/statistics/cpu/chunk.h"
#include "kernels/statistics/cpu/integer_fused.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

template <class T>
constexpr bool is_signed() {
    return T(-1) < T(0);
}

template <std::size_t Bytes>
struct Wide;  // types of sums of a tile, by the width of an element
template <>
struct Wide<1> {
    using Square = std::uint32_t;  // 1024 squares below 2^16
    using Sum = std::int32_t;
};
template <>
struct Wide<2> {
    using Square = std::uint64_t;
    using Sum = std::int32_t;
};

// |x| without overflow at the smallest value.
template <class T>
UnsignedBits<T> magnitude(T x) {
    const auto bits = static_cast<UnsignedBits<T>>(x);
    return static_cast<UnsignedBits<T>>(x < T(0) ? UnsignedBits<T>(0) - bits : bits);
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
    if constexpr (sizeof(T) == 4) {
        T high = 0;
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += static_cast<std::uint32_t>(x[i]);
            high += x[i] >> 16;
        }
        return join_halves(high, sum);
    } else if constexpr (sizeof(T) == 8) {
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
    if constexpr (!is_signed<T>()) {
        return static_cast<Uint128>(tile_sum(x, n));
    } else if constexpr (sizeof(T) == 4) {
        std::uint32_t high = 0;
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += magnitude(x[i]);
            high += magnitude(x[i]) >> 16;
        }
        return static_cast<Uint128>(join_halves(high, sum));
    } else if constexpr (sizeof(T) == 8) {
        return sum_halves<Magnitude>(x, n);
    } else {
        typename Wide<sizeof(T)>::Sum sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += magnitude(x[i]);
        return static_cast<Uint128>(sum);
    }
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

// Four vectors of each, which shortens the chains of dependent operations.
template <class T>
class Extremes {
  public:
    explicit Extremes(T first) : min(first), max(first) {
        for (int k = 0; k < 4; ++k) low_[k] = high_[k] = Vector<T>{} + first;
    }
    void take(const T* x, std::size_t n) {
        constexpr std::size_t kWidth = kVectorWidth<T>;
        Vector<T> low[4], high[4];  // in registers
        std::memcpy(low, low_, sizeof low);
        std::memcpy(high, high_, sizeof high);
        std::size_t i = 0;
        for (; n - i >= 4 * kWidth; i += 4 * kWidth)
            for (std::size_t k = 0; k < 4; ++k) {
                const Vector<T> v = load_vector<T>(x + i + k * kWidth);
                low[k] = v < low[k] ? v : low[k];
                high[k] = v > high[k] ? v : high[k];
            }
        std::memcpy(low_, low, sizeof low);
        std::memcpy(high_, high, sizeof high);
        take_each(x + i, n - i);
    }
    void finish() {
        T values[4 * kVectorWidth<T>];
        std::memcpy(values, low_, sizeof values);
        take_each(values, 4 * kVectorWidth<T>);
        std::memcpy(values, high_, sizeof values);
        take_each(values, 4 * kVectorWidth<T>);
    }

    T min;
    T max;

  private:
    void take_each(const T* x, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            min = x[i] < min ? x[i] : min;
            max = x[i] > max ? x[i] : max;
        }
    }

    Vector<T> low_[4];
    Vector<T> high_[4];
};

template <class T>
std::uint64_t tile_zeros(const T* x, std::size_t n) {
    UnsignedBits<T> count = 0;  // as wide as T, so that the loop vectorises well
    std::uint64_t total = 0;
    constexpr std::size_t kBlock = sizeof(T) == 1 ? 128 : kTileElements;
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
        const std::size_t end = n - begin < kBlock ? n : begin + kBlock;
        count = 0;
        for (std::size_t i = begin; i < end; ++i)
            count = static_cast<UnsignedBits<T>>(count + (x[i] == T(0)));
        total += count;
    }
    return total;
}

template <class T>
void looped_tile(unsigned needs, const T* x, std::size_t n, IntegerPartial* out, Extremes<T>* extremes) {
    if (needs & (kNeedSum | kNeedMoments)) out->sum += tile_sum(x, n);
    if (needs & kNeedL1) out->l1 += tile_l1(x, n);
    if constexpr (sizeof(T) != 4)
        if (needs & kNeedMoments) add_squares(x, n, out->squares);
    if (needs & kNeedZeros) out->zeros += tile_zeros(x, n);
    if (needs & kNeedExtrema) extremes->take(x, n);
}

constexpr std::size_t kAheadBytes = 8192;  // prefetched
constexpr std::size_t kStartBytes = 64;    // of each tile, where the hardware does the rest

// From memory the hardware is faster than prefetch instructions, but stops at the end of a page.
template <class T>
void prefetch_after(unsigned needs, const T* x, std::size_t n) {
    prefetch_lines(reinterpret_cast<const std::byte*>(x) + kAheadBytes,
                   needs & kFromMemory ? kStartBytes : n * sizeof(T));
}

// Processes one element, for remainders below a vector.
template <class T>
void add_one(T v, IntegerPartial* out) {
    const std::uint64_t m = magnitude(v);
    out->sum += v;
    out->l1 += m;
    add_limbs(out->squares, m * m, 0);
    out->zeros += v == T(0);
    out->min = v < out->min ? v : out->min;
    out->max = v > out->max ? v : out->max;
}

template <class T>
void fused_chunk(unsigned needs, const T* x, std::size_t n, IntegerPartial* out) {
    FusedChunk<T> sums(x[0]);
    const std::size_t full = n - n % kVectorWidth<T>;
    for (std::size_t begin = 0; begin < full; begin += kTileElements) {
        const std::size_t width = full - begin < kTileElements ? full - begin : kTileElements;
        prefetch_after(needs, x + begin, width);
        sums.take(x + begin, width);
    }
    sums.finish(out);
    for (std::size_t i = full; i < n; ++i) add_one(x[i], out);
}

// True if one fused loop over 32-bit elements is faster than one loop per need (docs/simd.md).
bool fuses(unsigned needs) {
    return (needs & kNeedMoments) ||
           __builtin_popcount(needs & ~(kSkipNans | kFromMemory)) > (kVectorBytes == 64 ? 1 : 2);
}

template <class T>
void reduce_chunk(unsigned needs, const T* x, std::size_t n, IntegerPartial* out) {
    out->sum = 0;
    out->l1 = 0;
    out->squares[0] = out->squares[1] = out->squares[2] = 0;
    out->zeros = 0;
    if constexpr (sizeof(T) == 4)
        if (fuses(needs)) return fused_chunk(needs, x, n, out);
    Extremes<T> extremes(x[0]);
    for (std::size_t begin = 0; begin < n; begin += kTileElements) {
        const std::size_t width = n - begin < kTileElements ? n - begin : kTileElements;
        prefetch_after(needs, x + begin, width);
        looped_tile(needs, x + begin, width, out, &extremes);
    }
    if (needs & kNeedExtrema) extremes.finish();
    out->min = extremes.min;
    out->max = extremes.max;
}

}  // namespace

#define TEGU_X(number, Name, word, type)                                                             \
    void reduce_chunk_##word(unsigned needs, const void* data, std::size_t n, IntegerPartial* out) { \
        reduce_chunk(needs, static_cast<const type*>(data), n, out);                                 \
    }
TEGU_INTEGER_TYPES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels::TEGU_ISA
