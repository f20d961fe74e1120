// SPDX-License-Identifier: Apache-2.0
// Every statistic of a chunk of 32-bit integers in one loop, for sets of several needs. 32-bit sums wrap
// around, so the sum of the high halves is kept beside each; their difference is the sum of the low halves,
// which fits for a chunk. 64-bit squares use the same method, so all totals stay in registers until the end
// of the chunk.
//
// Part of kernels/statistics/cpu/integer.cpp, so compiled once per instruction set.
#pragma once

#include "kernels/execution/cpu/vectors.h"
#include "kernels/statistics/cpu/chunk.h"
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tegu::kernels::TEGU_ISA {
namespace {

inline void add_limbs(std::uint64_t limbs[3], Uint128 low, std::uint64_t high) {
    const Uint128 sum = ((static_cast<Uint128>(limbs[1]) << 64) | limbs[0]) + low;
    limbs[0] = static_cast<std::uint64_t>(sum);
    limbs[1] = static_cast<std::uint64_t>(sum >> 64);
    limbs[2] += high + (sum < low);
}

// The sum of n 32-bit values from the sum of their high halves and their sum modulo 2^32. REQUIRES: n < 2^16.
inline Int128 join_halves(std::int64_t high, std::uint32_t wrapped) {
    return high * 65536 + static_cast<std::uint32_t>(wrapped - (static_cast<std::uint32_t>(high) << 16));
}

// The same for values of 64 bits, modulo 2^64. REQUIRES: n < 2^32.
inline Uint128 join_squares(std::uint64_t high, std::uint64_t wrapped) {
    return (static_cast<Uint128>(high) << 32) + (wrapped - (high << 32));
}

// The squares of all elements of m, half of them in each result. One instruction each, which plain loops and
// vector types do not reach on every instruction set.
TEGU_INLINE void square(Vector<std::uint32_t> m, Vector<std::uint64_t>* a, Vector<std::uint64_t>* b) {
    using W = Vector<std::uint64_t>;
#if defined(__AVX512F__)
    const auto even = reinterpret_cast<__m512i>(m);
    const auto odd = reinterpret_cast<__m512i>(reinterpret_cast<W>(m) >> 32);
    *a = reinterpret_cast<W>(_mm512_mul_epu32(even, even));
    *b = reinterpret_cast<W>(_mm512_mul_epu32(odd, odd));
#elif defined(__AVX2__)
    const auto even = reinterpret_cast<__m256i>(m);
    const auto odd = reinterpret_cast<__m256i>(reinterpret_cast<W>(m) >> 32);
    *a = reinterpret_cast<W>(_mm256_mul_epu32(even, even));
    *b = reinterpret_cast<W>(_mm256_mul_epu32(odd, odd));
#elif defined(__SSE2__)
    const auto even = reinterpret_cast<__m128i>(m);
    const auto odd = reinterpret_cast<__m128i>(reinterpret_cast<W>(m) >> 32);
    *a = reinterpret_cast<W>(_mm_mul_epu32(even, even));
    *b = reinterpret_cast<W>(_mm_mul_epu32(odd, odd));
#elif defined(__aarch64__)
    const auto all = reinterpret_cast<uint32x4_t>(m);
    *a = reinterpret_cast<W>(vmull_u32(vget_low_u32(all), vget_low_u32(all)));
    *b = reinterpret_cast<W>(vmull_high_u32(all, all));
#else
    const W even = reinterpret_cast<W>(m) & 0xffffffffu;
    const W odd = reinterpret_cast<W>(m) >> 32;
    *a = even * even;
    *b = odd * odd;
#endif
}

// The totals of vectors of elements, one per vector element.
template <class T>
class FusedChunk {
    static constexpr bool kSigned = T(-1) < T(0);
    static constexpr std::size_t kWidth = kVectorWidth<T>;
    using V = Vector<T>;
    using U = Vector<std::uint32_t>;
    using W = Vector<std::uint64_t>;

  public:
    explicit FusedChunk(T first) : min_(V{} + first), max_(min_) {}

    // REQUIRES: n is a multiple of kWidth, and the total of all calls is at most kChunkElements.
    TEGU_INLINE void take(const T* x, std::size_t n) {
        FusedChunk sums = *this;  // in registers
        for (std::size_t i = 0; i < n; i += kWidth) sums.take(load_vector<T>(x + i));
        *this = sums;
    }

    // Adds the totals to `out`, whose extremes are already set.
    void finish(IntegerPartial* out) const {
        const Int128 sum =
            join_halves(static_cast<std::int64_t>(total(high_)), static_cast<std::uint32_t>(total(sum_)));
        out->sum += sum;
        out->l1 += static_cast<Uint128>(kSigned ? join_halves(static_cast<std::int64_t>(total(l1_high_)),
                                                              static_cast<std::uint32_t>(total(l1_)))
                                                : sum);
        const Uint128 squares = join_squares(total(squares_high_), total(squares_));
        add_limbs(out->squares, squares, 0);
        out->zeros += total(zeros_);
        T low = min_[0];
        T high = max_[0];
        for (std::size_t k = 1; k < kWidth; ++k) {
            low = min_[k] < low ? min_[k] : low;
            high = max_[k] > high ? max_[k] : high;
        }
        out->min = low;
        out->max = high;
    }

  private:
    TEGU_INLINE void take(V v) {
        sum_ += reinterpret_cast<U>(v);
        high_ += v >> 16;
        U m = reinterpret_cast<U>(v);
        if (kSigned) {
            const U negated = -m;
            m = v < T(0) ? negated : m;
            l1_ += m;
            l1_high_ += m >> 16;
        }
        W even, odd;
        square(m, &even, &odd);
        if (kSigned) {  // two squares together fit 64 bits
            even += odd;
            squares_ += even;
            squares_high_ += even >> 32;
        } else {
            squares_ += even + odd;
            squares_high_ += (even >> 32) + (odd >> 32);
        }
        zeros_ -= reinterpret_cast<U>(v == T(0));
        min_ = v < min_ ? v : min_;
        max_ = v > max_ ? v : max_;
    }

    template <class S>
    static std::uint64_t total(S sums) {  // modulo 2^64
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < kVectorBytes / sizeof sums[0]; ++k)
            sum += static_cast<std::uint64_t>(sums[k]);
        return sum;
    }

    U sum_{}, l1_{}, l1_high_{}, zeros_{};
    V high_{};
    W squares_{}, squares_high_{};
    V min_, max_;
};

}  // namespace
}  // namespace tegu::kernels::TEGU_ISA
