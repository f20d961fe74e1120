// SPDX-License-Identifier: Apache-2.0
// The AVX-512 functions carry target attributes, because they need more extensions than the avx512 objects
// are compiled for. They run only on machines that have these extensions.
#include "kernels/counting/cpu/byte_planes.h"

#include <cassert>

#include "kernels/execution/cpu/isa.h"
#if defined(__x86_64__)
#include <cpuid.h>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wuninitialized"  // GCC's own header initialises what it leaves undefined with itself
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace tegu::kernels {

#if defined(__x86_64__)
namespace {

#define TEGU_PLANES_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vpopcntdq,gfni")))

// Placed before a loop whose iterations fill the registers: unrolling it would spill.
#if defined(__clang__)
#define TEGU_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#else
#define TEGU_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

// Queries cpuid, because __builtin_cpu_supports() of older compilers lacks some names.
bool find_byte_planes() {
    constexpr unsigned kVbmi = 1u << 1, kGfni = 1u << 8, kCountOnes = 1u << 14;
    constexpr unsigned kAll = kVbmi | kGfni | kCountOnes;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return detected_cpu_isa() == CpuIsa::Avx512 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
           (c & kAll) == kAll;
}

// Bytes at the indices i, i + 8, i + 16 ... of a vector, for i = 0, 1 ...
alignas(64) constexpr std::uint8_t kByPlane[64] = {
    0,  8,  16, 24, 32, 40, 48, 56, 1,  9,  17, 25, 33, 41, 49, 57, 2,  10, 18, 26, 34, 42,
    50, 58, 3,  11, 19, 27, 35, 43, 51, 59, 4,  12, 20, 28, 36, 44, 52, 60, 5,  13, 21, 29,
    37, 45, 53, 61, 6,  14, 22, 30, 38, 46, 54, 62, 7,  15, 23, 31, 39, 47, 55, 63};

// The eight bit planes of 512 bytes. The order of bytes in a plane is arbitrary, but equal in all planes.
TEGU_PLANES_TARGET inline void make_planes(const std::byte* source, __m512i* planes) {
    const __m512i identity = _mm512_set1_epi64(0x8040201008040201);
    const __m512i order = _mm512_load_si512(kByPlane);
    __m512i words[8], pairs[8];
    for (int i = 0; i < 8; ++i) {  // 64 bytes: the word of each plane
        const __m512i bits = _mm512_gf2p8affine_epi64_epi8(identity, _mm512_loadu_si512(source + 64 * i), 0);
        words[i] = _mm512_permutexvar_epi8(order, bits);
    }
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm512_unpacklo_epi64(words[i], words[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_epi64(words[i], words[i + 1]);
    }
    for (int i = 0; i < 2; ++i) {
        const __m512i a = _mm512_shuffle_i32x4(pairs[i], pairs[i + 2], 0x88);
        const __m512i b = _mm512_shuffle_i32x4(pairs[i + 4], pairs[i + 6], 0x88);
        const __m512i c = _mm512_shuffle_i32x4(pairs[i], pairs[i + 2], 0xdd);
        const __m512i d = _mm512_shuffle_i32x4(pairs[i + 4], pairs[i + 6], 0xdd);
        planes[i] = _mm512_shuffle_i32x4(a, b, 0x88);
        planes[i + 2] = _mm512_shuffle_i32x4(c, d, 0x88);
        planes[i + 4] = _mm512_shuffle_i32x4(a, b, 0xdd);
        planes[i + 6] = _mm512_shuffle_i32x4(c, d, 0xdd);
    }
}

TEGU_PLANES_TARGET inline void add_ones(__m512i plane, __m512i* sum) {
    *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(plane));
}

// The subsets of two planes beside `plane`. `both` is their exclusive or.
TEGU_PLANES_TARGET inline void add_four(__m512i plane, __m512i first, __m512i second, __m512i both,
                                        __m512i* sums) {
    add_ones(plane, sums);
    add_ones(_mm512_xor_si512(plane, first), sums + 1);
    add_ones(_mm512_xor_si512(plane, second), sums + 2);
    add_ones(_mm512_xor_si512(plane, both), sums + 3);
}

constexpr int kVectors = kPlaneBlock / 512;

struct BlockPlanes {
    __m512i low[kVectors][4];    // planes 0 .. 3
    __m512i high[16][kVectors];  // the subsets of planes 4 .. 7
};

TEGU_PLANES_TARGET inline void make_block(const std::byte* source, BlockPlanes* block) {
    for (int v = 0; v < kVectors; ++v) {
        __m512i planes[8];
        make_planes(source + 512 * v, planes);
        block->high[0][v] = _mm512_setzero_si512();
        for (int i = 0; i < 4; ++i) {
            block->low[v][i] = planes[i];
            for (int subset = 0; subset < 1 << i; ++subset)
                block->high[subset | 1 << i][v] = _mm512_xor_si512(block->high[subset][v], planes[4 + i]);
        }
    }
}

TEGU_PLANES_TARGET void count_planes(const std::byte* source, PlaneSums* totals) {
    BlockPlanes block;
    make_block(source, &block);
    const char* next = reinterpret_cast<const char*>(source) + kPlaneBlock;
    for (int subset = 0; subset < 16; ++subset) {
        for (const char* const end = next + kPlaneBlock / 16; next != end; next += 64)
            _mm_prefetch(next, _MM_HINT_T0);
        std::uint64_t(*const ones)[8] = totals->ones + 16 * subset;
        __m512i sums[16];
        for (int i = 0; i < 16; ++i) sums[i] = _mm512_load_si512(ones[i]);
        TEGU_KEEP_LOOP
        for (int v = 0; v < kVectors; ++v) {
            const __m512i* const low = block.low[v];
            const __m512i both = _mm512_xor_si512(low[0], low[1]);
            const __m512i with_none = block.high[subset][v];
            const __m512i with_third = _mm512_xor_si512(with_none, low[2]);
            add_four(with_none, low[0], low[1], both, sums);
            add_four(with_third, low[0], low[1], both, sums + 4);
            add_four(_mm512_xor_si512(with_none, low[3]), low[0], low[1], both, sums + 8);
            add_four(_mm512_xor_si512(with_third, low[3]), low[0], low[1], both, sums + 12);
        }
        for (int i = 0; i < 16; ++i) _mm512_store_si512(ones[i], sums[i]);
    }
}

}  // namespace

bool has_byte_planes() {
    static const bool has = find_byte_planes();
    return has;
}

void count_byte_planes(const std::byte* source, PlaneSums* sums) {
    assert(has_byte_planes());
    count_planes(source, sums);
}
#else
bool has_byte_planes() {
    return false;
}

void count_byte_planes(const std::byte*, PlaneSums*) {
    assert(false);
}
#endif

void add_plane_counts(const PlaneSums& sums, std::uint64_t n, std::uint64_t* counts) {
    // Bytes with an even number of ones among the planes of a subset, minus those with an odd number. Modulo
    // 2^64 until the end.
    std::uint64_t values[256];
    for (int subset = 0; subset < 256; ++subset) {
        std::uint64_t ones = 0;
        for (const std::uint64_t part : sums.ones[subset]) ones += part;
        values[subset] = n - 2 * ones;
    }
    for (int width = 1; width < 256; width *= 2)
        for (int begin = 0; begin < 256; begin += 2 * width)
            for (int i = begin; i < begin + width; ++i) {
                const std::uint64_t a = values[i], b = values[i + width];
                values[i] = a + b;
                values[i + width] = a - b;
            }
    for (int byte = 0; byte < 256; ++byte) counts[byte] += values[byte] / 256;
}

}  // namespace tegu::kernels
