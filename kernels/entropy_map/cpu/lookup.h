// SPDX-License-Identifier: Apache-2.0
// Table lookups for a vector of counts. Lookup<Tables> holds a table of 32 * Tables entries in registers,
// adds the entries for kPixels counts to its sums, and stores the sums. AVX-512 looks up 32-bit entries; AVX2
// and NEON look up one byte plane at a time; other sets use a loop.
//
// Private to the files of entropy_map that are compiled per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#if defined(__clang__)
#include <immintrin.h>
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12: its own _mm512_undefined_epi32()
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tegu::kernels::TEGU_ISA {
namespace {

#if defined(__AVX512BW__)

constexpr std::size_t kPixels = 64;
using Counts = __m512i;  // 64 bytes

inline Counts load_counts(const std::uint8_t* at) {
    return _mm512_loadu_si512(at);
}
inline void store_counts(std::uint8_t* at, Counts counts) {
    _mm512_storeu_si512(at, counts);
}
inline Counts add(Counts a, Counts b) {
    return _mm512_add_epi8(a, b);
}
// counts + 1 where `entering` is the level, - 1 where `leaving` is.
inline Counts change(Counts counts, Counts entering, Counts leaving, std::uint8_t level) {
    const __m512i wanted = _mm512_set1_epi8(static_cast<char>(level)), one = _mm512_set1_epi8(1);
    counts = _mm512_mask_add_epi8(counts, _mm512_cmpeq_epi8_mask(entering, wanted), counts, one);
    return _mm512_mask_sub_epi8(counts, _mm512_cmpeq_epi8_mask(leaving, wanted), counts, one);
}

template <unsigned Tables>
class Lookup {
  public:
    explicit Lookup(const std::uint32_t* table) {
        for (unsigned i = 0; i < 2 * Tables; ++i) table_[i] = _mm512_loadu_si512(table + 16 * i);
    }
    void clear() {
        for (__m512i& sum : sums_) sum = _mm512_setzero_si512();
    }
    void add_entries(Counts counts) {
        sums_[0] = _mm512_add_epi32(sums_[0], entries(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(counts))));
        sums_[1] =
            _mm512_add_epi32(sums_[1], entries(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(counts, 1))));
        sums_[2] =
            _mm512_add_epi32(sums_[2], entries(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(counts, 2))));
        sums_[3] =
            _mm512_add_epi32(sums_[3], entries(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(counts, 3))));
    }
    void store(std::uint32_t* out) const {
        for (unsigned i = 0; i < 4; ++i) _mm512_storeu_si512(out + 16 * i, sums_[i]);
    }

  private:
    __m512i entries(__m512i index) const {
        __m512i found = _mm512_permutex2var_epi32(table_[0], index, table_[1]);
        for (unsigned i = 1; i < Tables; ++i) {
            const __mmask16 beyond =
                _mm512_cmpge_epu32_mask(index, _mm512_set1_epi32(static_cast<int>(32 * i)));
            found = _mm512_mask_mov_epi32(found, beyond,
                                          _mm512_permutex2var_epi32(table_[2 * i], index, table_[2 * i + 1]));
        }
        return found;
    }
    __m512i table_[2 * Tables];
    __m512i sums_[4];
};

#elif defined(__AVX2__)

constexpr std::size_t kPixels = 32;
using Counts = __m256i;

inline Counts load_counts(const std::uint8_t* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
inline void store_counts(std::uint8_t* at, Counts counts) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), counts);
}
inline Counts add(Counts a, Counts b) {
    return _mm256_add_epi8(a, b);
}
inline Counts change(Counts counts, Counts entering, Counts leaving, std::uint8_t level) {
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(level));
    counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(entering, wanted));
    return _mm256_add_epi8(counts, _mm256_cmpeq_epi8(leaving, wanted));
}

// Entry n is split into bytes n of four planes. The bytes of a plane are summed as 16-bit words, whole
// (`pairs`, modulo 2^16) and upper byte (`uppers`): the sums of the lower bytes are pairs - 256 * uppers. At
// most 257 entries fit.
template <unsigned Tables>
class Lookup {
  public:
    explicit Lookup(const std::uint32_t* table) {
        for (unsigned plane = 0; plane < 4; ++plane) {
            for (unsigned part = 0; part < 2 * Tables; ++part) {
                alignas(16) std::uint8_t bytes[16];
                for (unsigned i = 0; i < 16; ++i)
                    bytes[i] = static_cast<std::uint8_t>(table[16 * part + i] >> (8 * plane));
                table_[plane][part] =
                    _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes)));
            }
        }
    }
    void clear() {
        for (unsigned plane = 0; plane < 4; ++plane) pairs_[plane] = uppers_[plane] = _mm256_setzero_si256();
    }
    void add_entries(Counts counts) {
        const __m256i odd_part = _mm256_slli_epi16(counts, 3);  // bit 4 of a count into the sign of its byte
        for (unsigned plane = 0; plane < 4; ++plane) {
            __m256i bytes = part_pair(plane, 0, counts, odd_part);
            for (unsigned i = 1; i < Tables; ++i) {
                const __m256i beyond =
                    _mm256_cmpgt_epi8(counts, _mm256_set1_epi8(static_cast<char>(32 * i - 1)));
                bytes = _mm256_blendv_epi8(bytes, part_pair(plane, i, counts, odd_part), beyond);
            }
            pairs_[plane] = _mm256_add_epi16(pairs_[plane], bytes);
            uppers_[plane] = _mm256_add_epi16(uppers_[plane], _mm256_srli_epi16(bytes, 8));
        }
    }
    void store(std::uint32_t* out) const {
        alignas(32) std::uint16_t even[4][16], odd[4][16];
        for (unsigned plane = 0; plane < 4; ++plane) {
            const __m256i lowers = _mm256_sub_epi16(pairs_[plane], _mm256_slli_epi16(uppers_[plane], 8));
            _mm256_store_si256(reinterpret_cast<__m256i*>(even[plane]), lowers);
            _mm256_store_si256(reinterpret_cast<__m256i*>(odd[plane]), uppers_[plane]);
        }
        for (unsigned i = 0; i < 16; ++i) {
            out[2 * i] = even[0][i] + (std::uint32_t{even[1][i]} << 8) + (std::uint32_t{even[2][i]} << 16) +
                         (std::uint32_t{even[3][i]} << 24);
            out[2 * i + 1] = odd[0][i] + (std::uint32_t{odd[1][i]} << 8) + (std::uint32_t{odd[2][i]} << 16) +
                             (std::uint32_t{odd[3][i]} << 24);
        }
    }

  private:
    __m256i part_pair(unsigned plane, unsigned pair, __m256i counts, __m256i odd_part) const {
        const __m256i low_bits = Tables == 1 ? counts : _mm256_and_si256(counts, _mm256_set1_epi8(0x0f));
        return _mm256_blendv_epi8(_mm256_shuffle_epi8(table_[plane][2 * pair], low_bits),
                                  _mm256_shuffle_epi8(table_[plane][2 * pair + 1], low_bits), odd_part);
    }
    __m256i table_[4][2 * Tables];
    __m256i pairs_[4];
    __m256i uppers_[4];
};

#elif defined(__aarch64__)

constexpr std::size_t kPixels = 16;
using Counts = uint8x16_t;

inline Counts load_counts(const std::uint8_t* at) {
    return vld1q_u8(at);
}
inline void store_counts(std::uint8_t* at, Counts counts) {
    vst1q_u8(at, counts);
}
inline Counts add(Counts a, Counts b) {
    return vaddq_u8(a, b);
}
inline Counts change(Counts counts, Counts entering, Counts leaving, std::uint8_t level) {
    const uint8x16_t wanted = vdupq_n_u8(level);
    counts = vsubq_u8(counts, vceqq_u8(entering, wanted));
    return vaddq_u8(counts, vceqq_u8(leaving, wanted));
}

// Entry n is split into bytes n of four planes of 32 * Tables bytes. An index beyond a table instruction's 32
// bytes leaves its destination unchanged. The bytes of a plane are summed as 16-bit words: at most 257
// entries fit.
template <unsigned Tables>
class Lookup {
  public:
    explicit Lookup(const std::uint32_t* table) {
        for (unsigned plane = 0; plane < 4; ++plane) {
            std::uint8_t bytes[32 * Tables];
            for (unsigned i = 0; i < 32 * Tables; ++i)
                bytes[i] = static_cast<std::uint8_t>(table[i] >> (8 * plane));
            for (unsigned part = 0; part < 2 * Tables; ++part)
                table_[plane][part / 2].val[part % 2] = vld1q_u8(bytes + 16 * part);
        }
    }
    void clear() {
        for (unsigned plane = 0; plane < 4; ++plane) sums_[plane][0] = sums_[plane][1] = vdupq_n_u16(0);
    }
    void add_entries(Counts counts) {
        for (unsigned plane = 0; plane < 4; ++plane) {
            uint8x16_t bytes = vqtbl2q_u8(table_[plane][0], counts);
            for (unsigned i = 1; i < Tables; ++i)
                bytes = vqtbx2q_u8(bytes, table_[plane][i],
                                   vsubq_u8(counts, vdupq_n_u8(static_cast<std::uint8_t>(32 * i))));
            sums_[plane][0] = vaddw_u8(sums_[plane][0], vget_low_u8(bytes));
            sums_[plane][1] = vaddw_high_u8(sums_[plane][1], bytes);
        }
    }
    void store(std::uint32_t* out) const {
        for (unsigned half = 0; half < 2; ++half) {
            std::uint16_t words[4][8];
            for (unsigned plane = 0; plane < 4; ++plane) vst1q_u16(words[plane], sums_[plane][half]);
            for (unsigned i = 0; i < 8; ++i)
                out[8 * half + i] = words[0][i] + (std::uint32_t{words[1][i]} << 8) +
                                    (std::uint32_t{words[2][i]} << 16) + (std::uint32_t{words[3][i]} << 24);
        }
    }

  private:
    uint8x16x2_t table_[4][Tables];
    uint16x8_t sums_[4][2];
};

#else

constexpr std::size_t kPixels = 16;
struct Counts {
    std::uint8_t of[kPixels];
};

inline Counts load_counts(const std::uint8_t* at) {
    Counts counts;
    __builtin_memcpy(counts.of, at, kPixels);
    return counts;
}
inline void store_counts(std::uint8_t* at, const Counts& counts) {
    __builtin_memcpy(at, counts.of, kPixels);
}
inline Counts add(Counts a, const Counts& b) {
    for (std::size_t i = 0; i < kPixels; ++i) a.of[i] = static_cast<std::uint8_t>(a.of[i] + b.of[i]);
    return a;
}
inline Counts change(Counts counts, const Counts& entering, const Counts& leaving, std::uint8_t level) {
    for (std::size_t i = 0; i < kPixels; ++i)
        counts.of[i] =
            static_cast<std::uint8_t>(counts.of[i] + (entering.of[i] == level) - (leaving.of[i] == level));
    return counts;
}

template <unsigned Tables>
class Lookup {
  public:
    explicit Lookup(const std::uint32_t* table) : table_(table) {}
    void clear() {
        for (std::uint32_t& sum : sums_) sum = 0;
    }
    void add_entries(const Counts& counts) {
        for (std::size_t i = 0; i < kPixels; ++i) sums_[i] += table_[counts.of[i]];
    }
    void store(std::uint32_t* out) const {
        for (std::size_t i = 0; i < kPixels; ++i) out[i] = sums_[i];
    }

  private:
    const std::uint32_t* table_;
    std::uint32_t sums_[kPixels];
};

#endif

}  // namespace
}  // namespace tegu::kernels::TEGU_ISA
