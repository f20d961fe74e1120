// SPDX-License-Identifier: Apache-2.0
// Groups: the keys of 64 contiguous elements, with one bit each for the keys within a limit. Loops that
// search few elements among many (order statistics) use groups. Almost every group has no hit and costs only
// its read.
//
// Functions have internal linkage and are always inlined: objects that are compiled per instruction set
// include this file.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/numerics/sort_key.h"
#include "kernels/selection/cpu/scan.h"

namespace tegu::kernels::group {

constexpr std::uint64_t kGroup = 64;
constexpr int kDense = 12;  // flagged elements of a group for which a loop without branches is faster

// Bit i is set if keys[i] <= limit, or == key. REQUIRES: keys aligned to 64 bytes.
#if defined(__AVX512BW__)
[[gnu::always_inline]] static inline std::uint64_t mask_within(const std::uint8_t* keys, std::uint8_t limit) {
    return _mm512_cmple_epu8_mask(_mm512_load_si512(keys), _mm512_set1_epi8(static_cast<char>(limit)));
}
[[gnu::always_inline]] static inline std::uint64_t mask_within(const std::uint16_t* keys,
                                                               std::uint16_t limit) {
    const __m512i limits = _mm512_set1_epi16(static_cast<short>(limit));
    const std::uint64_t low = _mm512_cmple_epu16_mask(_mm512_load_si512(keys), limits);
    return low | std::uint64_t{_mm512_cmple_epu16_mask(_mm512_load_si512(keys + 32), limits)} << 32;
}
[[gnu::always_inline]] static inline std::uint64_t mask_within(const std::uint32_t* keys,
                                                               std::uint32_t limit) {
    const __m512i limits = _mm512_set1_epi32(static_cast<int>(limit));
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < kGroup; i += 16)
        mask |= std::uint64_t{_mm512_cmple_epu32_mask(_mm512_load_si512(keys + i), limits)} << i;
    return mask;
}
[[gnu::always_inline]] static inline std::uint64_t mask_within(const std::uint64_t* keys,
                                                               std::uint64_t limit) {
    const __m512i limits = _mm512_set1_epi64(static_cast<long long>(limit));
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < kGroup; i += 8)
        mask |= std::uint64_t{_mm512_cmple_epu64_mask(_mm512_load_si512(keys + i), limits)} << i;
    return mask;
}
[[gnu::always_inline]] static inline std::uint64_t mask_equal(const std::uint8_t* keys, std::uint8_t key) {
    return _mm512_cmpeq_epu8_mask(_mm512_load_si512(keys), _mm512_set1_epi8(static_cast<char>(key)));
}
[[gnu::always_inline]] static inline std::uint64_t mask_equal(const std::uint16_t* keys, std::uint16_t key) {
    const __m512i wanted = _mm512_set1_epi16(static_cast<short>(key));
    const std::uint64_t low = _mm512_cmpeq_epu16_mask(_mm512_load_si512(keys), wanted);
    return low | std::uint64_t{_mm512_cmpeq_epu16_mask(_mm512_load_si512(keys + 32), wanted)} << 32;
}
[[gnu::always_inline]] static inline std::uint64_t mask_equal(const std::uint32_t* keys, std::uint32_t key) {
    const __m512i wanted = _mm512_set1_epi32(static_cast<int>(key));
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < kGroup; i += 16)
        mask |= std::uint64_t{_mm512_cmpeq_epu32_mask(_mm512_load_si512(keys + i), wanted)} << i;
    return mask;
}
[[gnu::always_inline]] static inline std::uint64_t mask_equal(const std::uint64_t* keys, std::uint64_t key) {
    const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(key));
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < kGroup; i += 8)
        mask |= std::uint64_t{_mm512_cmpeq_epu64_mask(_mm512_load_si512(keys + i), wanted)} << i;
    return mask;
}
#else
// One bit for each of 64 bytes that are all ones or 0.
[[gnu::always_inline]] static inline std::uint64_t mask_of_bytes(const unsigned char* flags) {
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
template <class U>
[[gnu::always_inline]] static inline std::uint64_t mask_within(const U* keys, U limit) {
    alignas(64) unsigned char flags[kGroup];
    for (unsigned i = 0; i < kGroup; ++i) flags[i] = keys[i] <= limit ? 0xff : 0;
    return mask_of_bytes(flags);
}
template <class U>
[[gnu::always_inline]] static inline std::uint64_t mask_equal(const U* keys, U key) {
    alignas(64) unsigned char flags[kGroup];
    for (unsigned i = 0; i < kGroup; ++i) flags[i] = keys[i] == key ? 0xff : 0;
    return mask_of_bytes(flags);
}
#endif

// Appends the flagged keys of a full group, in order. May write beyond the kept keys, up to out[kGroup].
// Returns the number of kept keys.
#if defined(__AVX512BW__)
[[gnu::always_inline]] static inline std::uint64_t compress(const std::uint32_t* keys, std::uint64_t flags,
                                                            std::uint32_t* out) {
    std::uint64_t found = 0;
    for (unsigned i = 0; i < kGroup; i += 16) {
        const __mmask16 mask = static_cast<__mmask16>(flags >> i);
        _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi32(mask, _mm512_load_si512(keys + i)));
        found += static_cast<unsigned>(__builtin_popcount(mask));
    }
    return found;
}
[[gnu::always_inline]] static inline std::uint64_t compress(const std::uint64_t* keys, std::uint64_t flags,
                                                            std::uint64_t* out) {
    std::uint64_t found = 0;
    for (unsigned i = 0; i < kGroup; i += 8) {
        const __mmask8 mask = static_cast<__mmask8>(flags >> i);
        _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi64(mask, _mm512_load_si512(keys + i)));
        found += static_cast<unsigned>(__builtin_popcount(mask));
    }
    return found;
}
#endif
template <class U>
[[gnu::always_inline]] static inline std::uint64_t compress(const U* keys, std::uint64_t flags, U* out) {
    std::uint64_t found = 0;
    for (; flags != 0; flags &= flags - 1) out[found++] = keys[__builtin_ctzll(flags)];
    return found;
}

// The keys of one group, and one bit each for the keys within a limit. A short last group is padded with the
// worst key.
template <class U>
struct Group {
    alignas(64) U keys[kGroup];
    std::uint64_t within;
};

template <class U, bool Float>
[[gnu::always_inline]] static inline void read_group(selection::Elements elements, std::uint64_t begin,
                                                     U limit, Group<U>& group) {
    const U flip = static_cast<U>(elements.flip);
    const std::byte* data = elements.data + begin * sizeof(U);
    const std::uint64_t left = elements.count - begin;
    if (left >= kGroup) {
        for (unsigned i = 0; i < kGroup; ++i)
            group.keys[i] = key::encode<U, Float>(key::load<U>(data, i), flip);
        group.within = mask_within(group.keys, limit);
    } else {
        for (unsigned i = 0; i < kGroup; ++i)
            group.keys[i] =
                i < left ? key::encode<U, Float>(key::load<U>(data, i), flip) : static_cast<U>(~U{0});
        group.within = mask_within(group.keys, limit) & ((std::uint64_t{1} << left) - 1);
    }
}

// Appends the flagged keys of a full group without branches, for groups with many hits. May write beyond the
// kept keys, up to out[kGroup]. Returns the number of kept keys.
template <class U, class Entry>
[[gnu::always_inline]] static inline std::uint64_t compress_entries(const Group<U>& group,
                                                                    std::uint64_t first, unsigned shift,
                                                                    Entry* out) {
    std::uint64_t found = 0;
    for (unsigned i = 0; i < kGroup; ++i) {
        out[found] = (static_cast<Entry>(group.keys[i]) << shift) | (first + i);
        found += (group.within >> i) & 1;
    }
    return found;
}
#if defined(__AVX512BW__)
[[gnu::always_inline]] static inline std::uint64_t compress_entries(const Group<std::uint32_t>& group,
                                                                    std::uint64_t first, unsigned shift,
                                                                    selection::Entry64* out) {
    constexpr __mmask8 kAll = 0xff;  // the forms without a mask make gcc warn of its own header
    const __m128i count = _mm_cvtsi32_si128(static_cast<int>(shift));
    __m512i indices = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(first)),
                                       _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    std::uint64_t found = 0;
    for (unsigned i = 0; i < kGroup; i += 8) {
        const __m512i keys = _mm512_maskz_cvtepu32_epi64(
            kAll, _mm256_load_si256(reinterpret_cast<const __m256i*>(group.keys + i)));
        const __mmask8 mask = static_cast<__mmask8>(group.within >> i);
        const __m512i entries = _mm512_or_si512(_mm512_maskz_sll_epi64(kAll, keys, count), indices);
        _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi64(mask, entries));
        found += static_cast<unsigned>(__builtin_popcount(mask));
        indices = _mm512_add_epi64(indices, _mm512_set1_epi64(8));
    }
    return found;
}
#endif

}  // namespace tegu::kernels::group
