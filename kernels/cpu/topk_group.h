// SPDX-License-Identifier: Apache-2.0
// Groups: the ranks of 64 elements side by side, and which of them are within a limit as one bit each. The loops that look for
// few among many (top-k, quantiles) work on groups, because almost every group has nothing to offer and then costs what reading it costs.
//
// Functions have internal linkage and are always inlined: objects that are compiled per instruction set include this file.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/cpu/topk_rank.h"

namespace tegu::kernels::group {

constexpr std::uint64_t kGroup = 64;

// Bit i is set if ranks[i] <= limit. REQUIRES: ranks aligned to 64 bytes.
#if defined(__AVX512BW__)
[[gnu::always_inline]] static inline std::uint64_t mask_within(const std::uint8_t* ranks, std::uint8_t limit) {
    return _mm512_cmple_epu8_mask(_mm512_load_si512(ranks), _mm512_set1_epi8(static_cast<char>(limit)));
}
[[gnu::always_inline]] static inline std::uint64_t mask_within(const std::uint16_t* ranks, std::uint16_t limit) {
    const __m512i limits = _mm512_set1_epi16(static_cast<short>(limit));
    const std::uint64_t low = _mm512_cmple_epu16_mask(_mm512_load_si512(ranks), limits);
    return low | std::uint64_t{_mm512_cmple_epu16_mask(_mm512_load_si512(ranks + 32), limits)} << 32;
}
[[gnu::always_inline]] static inline std::uint64_t mask_within(const std::uint32_t* ranks, std::uint32_t limit) {
    const __m512i limits = _mm512_set1_epi32(static_cast<int>(limit));
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < kGroup; i += 16)
        mask |= std::uint64_t{_mm512_cmple_epu32_mask(_mm512_load_si512(ranks + i), limits)} << i;
    return mask;
}
[[gnu::always_inline]] static inline std::uint64_t mask_within(const std::uint64_t* ranks, std::uint64_t limit) {
    const __m512i limits = _mm512_set1_epi64(static_cast<long long>(limit));
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < kGroup; i += 8)
        mask |= std::uint64_t{_mm512_cmple_epu64_mask(_mm512_load_si512(ranks + i), limits)} << i;
    return mask;
}
#else
template <class U>
[[gnu::always_inline]] static inline std::uint64_t mask_within(const U* ranks, U limit) {
    alignas(64) unsigned char flags[kGroup];
    for (unsigned i = 0; i < kGroup; ++i) flags[i] = ranks[i] <= limit ? 0xff : 0;
    std::uint64_t mask = 0;
#if defined(__SSE2__)
    for (unsigned i = 0; i < kGroup; i += 16) {
        const int bits = _mm_movemask_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(flags + i)));
        mask |= std::uint64_t{static_cast<unsigned>(bits)} << i;
    }
#else
    for (unsigned i = 0; i < kGroup; i += 8) {
        std::uint64_t eight;
        __builtin_memcpy(&eight, flags + i, sizeof eight);
        mask |= ((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << i;
    }
#endif
    return mask;
}
#endif

// Appends the flagged ranks of a full group, in order. May write past what it keeps, up to out[kGroup]. Returns how many it keeps.
#if defined(__AVX512BW__)
[[gnu::always_inline]] static inline std::uint64_t compress(const std::uint32_t* ranks, std::uint64_t flags,
                                                            std::uint32_t* out) {
    std::uint64_t found = 0;
    for (unsigned i = 0; i < kGroup; i += 16) {
        const __mmask16 mask = static_cast<__mmask16>(flags >> i);
        _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi32(mask, _mm512_load_si512(ranks + i)));
        found += static_cast<unsigned>(__builtin_popcount(mask));
    }
    return found;
}
[[gnu::always_inline]] static inline std::uint64_t compress(const std::uint64_t* ranks, std::uint64_t flags,
                                                            std::uint64_t* out) {
    std::uint64_t found = 0;
    for (unsigned i = 0; i < kGroup; i += 8) {
        const __mmask8 mask = static_cast<__mmask8>(flags >> i);
        _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi64(mask, _mm512_load_si512(ranks + i)));
        found += static_cast<unsigned>(__builtin_popcount(mask));
    }
    return found;
}
#endif
template <class U>
[[gnu::always_inline]] static inline std::uint64_t compress(const U* ranks, std::uint64_t flags, U* out) {
    std::uint64_t found = 0;
    for (; flags != 0; flags &= flags - 1) out[found++] = ranks[__builtin_ctzll(flags)];
    return found;
}

}  // namespace tegu::kernels::group
