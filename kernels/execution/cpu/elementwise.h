// SPDX-License-Identifier: Apache-2.0
// Helpers of loops over whole arrays: block conversion between f16 and f32, and non-temporal stores. Compiled
// once per instruction set with the including file. f16 uses hardware conversions where the set has them,
// else integer arithmetic with the bits of base/half.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/execution/cpu/element_load.h"
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Placed before a loop whose iterations alias only at the same index, where the output is the input.
#if defined(__clang__)
#define TEGU_SAME_INDEX_ONLY _Pragma("clang loop vectorize(assume_safety)")
#else
#define TEGU_SAME_INDEX_ONLY _Pragma("GCC ivdep")
#endif

namespace tegu::kernels::TEGU_ISA {
namespace {

constexpr HalfBits kHalfNan = 0x7e00;
constexpr float kFloatNan = __builtin_nanf("");
constexpr double kDoubleNan = __builtin_nan("");

inline float canonical(float value) {
    return value == value ? value : kFloatNan;
}
inline double canonical(double value) {
    return value == value ? value : kDoubleNan;
}

// Rounds to nearest, ties to even; every NaN becomes the canonical one. Below 2^-14 the sum with 0.5 rounds
// to a multiple of 2^-24, the spacing of subnormal halves. The comparisons are signed because every vector
// unit has signed comparisons.
inline HalfBits narrow_half(float value) {
    const std::uint32_t bits = bits_of(value);
    const auto magnitude = static_cast<std::int32_t>(bits & 0x7fffffffu);
    const std::int32_t subnormal =
        static_cast<std::int32_t>(bits_of(float_of(static_cast<std::uint32_t>(magnitude)) + 0.5f)) -
        0x3f000000;
    const std::int32_t normal = (magnitude + 0xfff + ((magnitude >> 13) & 1) - 0x38000000) >> 13;
    std::int32_t half = magnitude >= 0x38800000 ? normal : subnormal;
    half = magnitude >= 0x47800000 ? 0x7c00 : half;
    half |= static_cast<std::int32_t>((bits >> 16) & 0x8000u);
    half = magnitude > 0x7f800000 ? std::int32_t{kHalfNan} : half;
    return static_cast<HalfBits>(half);
}

#if defined(__SSE2__)
// widen_half of four halves, each in the low half of its word.
inline __m128 widen_words(__m128i half) {
    const __m128i magnitude = _mm_slli_epi32(_mm_and_si128(half, _mm_set1_epi32(0x7fff)), 13);
    const __m128i sign = _mm_slli_epi32(_mm_and_si128(half, _mm_set1_epi32(0x8000)), 16);
    const __m128 finite = _mm_mul_ps(_mm_castsi128_ps(magnitude), _mm_set1_ps(0x1p112f));
    const __m128i special = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x0f7fffff));  // infinity and NaN
    const __m128i exponent = _mm_and_si128(special, _mm_set1_epi32(0x7f800000));
    return _mm_or_ps(_mm_or_ps(finite, _mm_castsi128_ps(exponent)), _mm_castsi128_ps(sign));
}

inline __m128i select(__m128i mask, __m128i yes, __m128i no) {
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

// narrow_half of four floats, each half sign-extended to its word: saturating packs preserve it.
inline __m128i narrow_words(__m128 value) {
    const __m128i bits = _mm_castps_si128(value);
    const __m128i magnitude = _mm_and_si128(bits, _mm_set1_epi32(0x7fffffff));
    const __m128 shifted = _mm_add_ps(_mm_castsi128_ps(magnitude), _mm_set1_ps(0.5f));
    const __m128i subnormal = _mm_sub_epi32(_mm_castps_si128(shifted), _mm_set1_epi32(0x3f000000));
    const __m128i odd = _mm_and_si128(_mm_srli_epi32(magnitude, 13), _mm_set1_epi32(1));
    const __m128i normal =
        _mm_srai_epi32(_mm_add_epi32(_mm_add_epi32(magnitude, odd), _mm_set1_epi32(0xfff - 0x38000000)), 13);
    const __m128i finite = select(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x387fffff)), normal, subnormal);
    const __m128i large = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x477fffff));
    const __m128i half = select(large, _mm_set1_epi32(0x7c00), finite);
    const __m128i sign = _mm_andnot_si128(_mm_set1_epi32(0x7fff), _mm_srai_epi32(bits, 16));
    const __m128i is_nan = _mm_castps_si128(_mm_cmpunord_ps(value, value));
    return select(is_nan, _mm_set1_epi32(kHalfNan), _mm_or_si128(half, sign));
}
#endif

// Converts n f16 elements at any alignment to f32.
inline void widen_halves(const std::byte* from, std::size_t n, float* to) {
    std::size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16) {
        __m256i halves;
        std::memcpy(&halves, from + 2 * i, sizeof halves);
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(halves));
    }
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        __m128i halves;
        std::memcpy(&halves, from + 2 * i, sizeof halves);
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
    }
#elif defined(__aarch64__)
    for (; i + 4 <= n; i += 4) {
        float16x4_t halves;
        std::memcpy(&halves, from + 2 * i, sizeof halves);
        vst1q_f32(to + i, vcvt_f32_f16(halves));
    }
#elif defined(__SSE2__)
    for (; i + 8 <= n; i += 8) {
        __m128i halves;
        std::memcpy(&halves, from + 2 * i, sizeof halves);
        _mm_storeu_ps(to + i, widen_words(_mm_unpacklo_epi16(halves, _mm_setzero_si128())));
        _mm_storeu_ps(to + i + 4, widen_words(_mm_unpackhi_epi16(halves, _mm_setzero_si128())));
    }
#endif
    for (; i < n; ++i) to[i] = widen_half(load<HalfBits>(from, i));
}

// Converts n f32 elements to f16; every NaN becomes the canonical one.
inline void narrow_halves(const float* from, std::size_t n, HalfBits* to) {
    std::size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16) {
        const __m512 values = _mm512_loadu_ps(from + i);
        const __m512 clean = _mm512_mask_mov_ps(values, _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q),
                                                _mm512_set1_ps(kFloatNan));
        const __m256i halves = _mm512_cvtps_ph(clean, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        std::memcpy(to + i, &halves, sizeof halves);
    }
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        const __m256 values = _mm256_loadu_ps(from + i);
        const __m256 clean =
            _mm256_blendv_ps(values, _mm256_set1_ps(kFloatNan), _mm256_cmp_ps(values, values, _CMP_UNORD_Q));
        const __m128i halves = _mm256_cvtps_ph(clean, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        std::memcpy(to + i, &halves, sizeof halves);
    }
#elif defined(__aarch64__)
    for (; i + 4 <= n; i += 4) {
        const float32x4_t values = vld1q_f32(from + i);
        const float32x4_t clean = vbslq_f32(vceqq_f32(values, values), values, vdupq_n_f32(kFloatNan));
        const float16x4_t halves = vcvt_f16_f32(clean);
        std::memcpy(to + i, &halves, sizeof halves);
    }
#elif defined(__SSE2__)
    for (; i + 8 <= n; i += 8) {
        const __m128i halves =
            _mm_packs_epi32(narrow_words(_mm_loadu_ps(from + i)), narrow_words(_mm_loadu_ps(from + i + 4)));
        std::memcpy(to + i, &halves, sizeof halves);
    }
#endif
    for (; i < n; ++i) to[i] = narrow_half(from[i]);
}

// Copies a block from L1 with non-temporal stores, which do not read the replaced lines. For output that is
// not read soon. Uses ordinary stores where the instruction set lacks non-temporal ones. The caller runs
// stream_fence() after the last block, before it signals another thread.
inline void stream_out(const void* from, std::size_t bytes, std::byte* to) {
    const char* source = static_cast<const char*>(from);
#if defined(__AVX512F__)
    using Line = __m512i;
    const auto store = [](std::byte* p, Line line) { _mm512_stream_si512(reinterpret_cast<Line*>(p), line); };
#elif defined(__AVX__)
    using Line = __m256i;
    const auto store = [](std::byte* p, Line line) { _mm256_stream_si256(reinterpret_cast<Line*>(p), line); };
#elif defined(__SSE2__)
    using Line = __m128i;
    const auto store = [](std::byte* p, Line line) { _mm_stream_si128(reinterpret_cast<Line*>(p), line); };
#endif
#if defined(__SSE2__)
    const std::size_t head = (0 - reinterpret_cast<std::uintptr_t>(to)) % 64;
    if (head < bytes) {
        std::memcpy(to, source, head);
        std::size_t at = head;
        for (; at + sizeof(Line) <= bytes; at += sizeof(Line)) {
            Line line;
            std::memcpy(&line, source + at, sizeof line);
            store(to + at, line);
        }
        std::memcpy(to + at, source + at, bytes - at);
        return;
    }
#endif
    std::memcpy(to, source, bytes);
}

inline void stream_fence() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace
}  // namespace tegu::kernels::TEGU_ISA
