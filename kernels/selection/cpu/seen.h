// SPDX-License-Identifier: Apache-2.0
// Keys seen so far (selection::SeenKeys), one at a time and per group. Groups of known keys are processed
// without a branch on a key, because such branches are unpredictable.
//
// Functions have internal linkage: objects that are compiled per instruction set include this file.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/selection/cpu/group.h"

namespace tegu::kernels::seen {

template <class U>
constexpr U kFactor = static_cast<U>((0x9e3779b97f4a7c15u >> (64 - 8 * sizeof(U))) | 1);

// The first slot of the pair of a key: Fibonacci hashing, which is one to one if the table is wide enough.
template <class U>
[[gnu::always_inline]] static inline std::uint64_t pair_of(U value, unsigned bits) {
    return std::uint64_t{
               static_cast<U>(static_cast<U>(std::uint64_t{value} * kFactor<U>) >> (8 * sizeof(U) - bits))} *
           2;
}

// True if frequent keys of this type are stored in slots.
template <class U>
constexpr bool kHasSlots = false;
#if defined(__AVX512BW__)
template <>
constexpr bool kHasSlots<std::uint32_t> = true;
#endif

[[gnu::always_inline]] static inline unsigned slot_of(std::uint32_t key, std::uint32_t factor) {
    return key * factor >> 26;
}

// Searches a factor that maps the frequent keys to different slots; for 24 keys one in about 140 does.
[[gnu::always_inline]] static inline void choose_slots(selection::SeenKeys& seen) {
    std::uint32_t factor = 0;
    for (std::uint32_t attempt = 1; attempt <= 2000 && seen.hot_count > 0; ++attempt) {
        factor = (attempt * 0x9e3779b9u) | 1;
        std::uint64_t taken = 0;
        unsigned apart = 0;
        for (; apart < seen.hot_count; ++apart) {
            const std::uint64_t slot = std::uint64_t{1}
                                       << slot_of(static_cast<std::uint32_t>(seen.hot[apart]), factor);
            if ((taken & slot) != 0) break;
            taken |= slot;
        }
        if (apart == seen.hot_count) break;
        factor = 0;
    }
    seen.factor = factor;
    // Key 0 belongs to slot 0, which gets a key of the next slot or a later one.
    std::uint32_t other = 1;
    while (slot_of(other, factor) == 0 && factor != 0) other *= 2;
    for (unsigned i = 0; i < selection::SeenKeys::kSlots; ++i) seen.slots[i] = i == 0 ? other : 0;
}

// Fills every slot with a key that does not belong there, so that an empty slot equals no key.
template <class U>
static void forget(selection::SeenKeys& seen) {
    U* table = reinterpret_cast<U*>(seen.table);
    for (std::uint64_t i = 0; i < std::uint64_t{2} << seen.bits; ++i)
        table[i] = i < 2 ? static_cast<U>(~U{0}) : U{0};
    seen.met_count = 0;
    seen.factor = 0;
    if (kHasSlots<U>) choose_slots(seen);
}

constexpr unsigned kFewKeys = 4;  // maximum keys for which a comparison each is faster than slots

// The flagged keys of the group, without the frequent keys seen so far.
template <class U>
[[gnu::always_inline]] static inline std::uint64_t not_in_list(const group::Group<U>& group,
                                                               std::uint64_t flags,
                                                               const selection::SeenKeys& seen) {
    if (seen.met_count <= kFewKeys) {
        for (unsigned s = 0; s < seen.met_count; ++s)
            flags &= ~group::mask_equal(group.keys, static_cast<U>(seen.met[s]));
        return flags;
    }
    alignas(64) U nearest[group::kGroup];  // 0 if key i was seen
    for (unsigned i = 0; i < group::kGroup; ++i)
        nearest[i] = static_cast<U>(group.keys[i] ^ static_cast<U>(seen.met[0]));
    for (unsigned s = 1; s < seen.met_count; ++s) {
        const U met = static_cast<U>(seen.met[s]);
        for (unsigned i = 0; i < group::kGroup; ++i) {
            const U differ = static_cast<U>(group.keys[i] ^ met);
            nearest[i] = nearest[i] < differ ? nearest[i] : differ;
        }
    }
    return flags & ~group::mask_equal(nearest, U{0});
}
template <class U>
[[gnu::always_inline]] static inline std::uint64_t not_frequent(const group::Group<U>& group,
                                                                std::uint64_t flags,
                                                                const selection::SeenKeys& seen) {
    return not_in_list(group, flags, seen);
}
#if defined(__AVX512BW__)
[[gnu::always_inline]] static inline std::uint64_t not_frequent(const group::Group<std::uint32_t>& group,
                                                                std::uint64_t flags,
                                                                const selection::SeenKeys& seen) {
    if (seen.factor == 0 || seen.met_count <= kFewKeys) return not_in_list(group, flags, seen);
    constexpr __mmask16 kAll = 0xffff;  // the forms without a mask make gcc warn of its own header
    const __m512i factor = _mm512_set1_epi32(static_cast<int>(seen.factor));
    const __m512i half = _mm512_set1_epi32(32);
    std::uint64_t missing = 0;
    for (unsigned i = 0; i < group::kGroup; i += 16) {
        const __m512i keys = _mm512_load_si512(group.keys + i);
        const __m512i slot = _mm512_maskz_srli_epi32(kAll, _mm512_mullo_epi32(keys, factor), 26);
        const __m512i low = _mm512_permutex2var_epi32(_mm512_load_si512(seen.slots), slot,
                                                      _mm512_load_si512(seen.slots + 16));
        const __m512i high = _mm512_permutex2var_epi32(_mm512_load_si512(seen.slots + 32), slot,
                                                       _mm512_load_si512(seen.slots + 48));
        const __m512i met = _mm512_mask_blend_epi32(_mm512_test_epi32_mask(slot, half), low, high);
        missing |= std::uint64_t{_mm512_cmpneq_epu32_mask(met, keys)} << i;
    }
    return flags & missing;
}
#endif

// The flagged keys of the group that are not in the table. No branches, because they would be unpredictable.
template <class U>
[[gnu::always_inline]] static inline std::uint64_t not_in_table(const group::Group<U>& group,
                                                                std::uint64_t flags,
                                                                const selection::SeenKeys& seen) {
    const U* table = reinterpret_cast<const U*>(seen.table);
    alignas(64) U nearest[group::kGroup];  // 0 if key i is in the table
    for (unsigned i = 0; i < group::kGroup; ++i) {
        const U key = group.keys[i];
        const U* pair = table + pair_of(key, seen.bits);
        const U newer = static_cast<U>(pair[0] ^ key);
        const U older = static_cast<U>(pair[1] ^ key);
        nearest[i] = newer < older ? newer : older;
    }
    return flags & ~group::mask_equal(nearest, U{0});
}
#if defined(__AVX512BW__)
// A pair is gathered as one 64-bit number.
[[gnu::always_inline]] static inline std::uint64_t not_in_table(const group::Group<std::uint32_t>& group,
                                                                std::uint64_t flags,
                                                                const selection::SeenKeys& seen) {
    constexpr __mmask8 kAll = 0xff;  // the forms without a mask make gcc warn of its own header
    const __m512i factor = _mm512_set1_epi32(static_cast<int>(kFactor<std::uint32_t>));
    const __m128i drop = _mm_cvtsi32_si128(static_cast<int>(32 - seen.bits));
    std::uint64_t missing = 0;
    for (unsigned i = 0; i < group::kGroup; i += 8) {
        const __m512i keys = _mm512_maskz_cvtepu32_epi64(
            kAll, _mm256_load_si256(reinterpret_cast<const __m256i*>(group.keys + i)));
        const __m512i product =
            _mm512_and_si512(_mm512_mul_epu32(keys, factor), _mm512_set1_epi64(0xffffffffll));
        const __m512i slots = _mm512_maskz_srl_epi64(kAll, product, drop);
        const __m512i pairs = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), kAll, slots, seen.table, 8);
        const __m512i twice = _mm512_or_si512(keys, _mm512_maskz_slli_epi64(kAll, keys, 32));
        const __m512i differ = _mm512_xor_si512(pairs, twice);
        const __m512i nearest =
            _mm512_maskz_min_epu32(0xffff, differ, _mm512_maskz_rol_epi64(kAll, differ, 32));
        missing |= std::uint64_t{_mm512_test_epi64_mask(nearest, nearest)} << i;
    }
    return flags & missing;
}
#endif

template <class U>
[[gnu::always_inline]] static inline void remember(U key, U* pair, selection::SeenKeys& seen) {
    pair[1] = pair[0];
    pair[0] = key;
    if (seen.met_count == seen.hot_count) return;
    bool hot = false;
    for (unsigned i = 0; i < seen.hot_count; ++i) hot |= seen.hot[i] == key;
    for (unsigned i = 0; i < seen.met_count; ++i) hot &= seen.met[i] != key;
    if (!hot) return;
    seen.met[seen.met_count++] = key;
    if (seen.factor != 0)
        seen.slots[slot_of(static_cast<std::uint32_t>(key), seen.factor)] = static_cast<std::uint32_t>(key);
}

}  // namespace tegu::kernels::seen
