// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the bits, bytes and halves of a word that C++ has no name for: one instruction each where the
// device has it. It belongs to the vocabulary of simt.cuh. Each function has a plain C++ version for the
// host. C++14.
#pragma once

#include "kernels/execution/cuda/simt.cuh"

namespace tegu {
namespace cuda {

TEGU_DEVICE unsigned count_bits(std::uint32_t word) {
#if defined(__CUDACC__)
    return static_cast<unsigned>(__popc(word));
#else
    return static_cast<unsigned>(__builtin_popcount(word));
#endif
}
// a - b. Takes 1 from *balance where a < b: a count of comparisons for one instruction each.
TEGU_DEVICE std::uint32_t subtract_counted(std::uint32_t a, std::uint32_t b, std::uint32_t* balance) {
#if defined(__CUDACC__)
    std::uint32_t difference;
    asm("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, %1, 0;" : "=r"(difference), "+r"(*balance) : "r"(a), "r"(b));
    return difference;
#else
    *balance -= a < b ? 1 : 0;
    return a - b;
#endif
}
TEGU_DEVICE std::uint64_t subtract_counted(std::uint64_t a, std::uint64_t b, std::uint32_t* balance) {
    *balance -= a < b ? 1 : 0;
    return a - b;
}
// Number of zeros above the highest set bit; 32 for 0.
TEGU_DEVICE unsigned leading_zeros(std::uint32_t word) {
#if defined(__CUDACC__)
    return static_cast<unsigned>(__clz(word));
#else
    return word == 0 ? 32 : static_cast<unsigned>(__builtin_clz(word));
#endif
}
// Number of zeros below the lowest set bit. REQUIRES: word != 0.
TEGU_DEVICE unsigned trailing_zeros(std::uint32_t word) {
#if defined(__CUDACC__)
    return static_cast<unsigned>(__ffs(static_cast<int>(word))) - 1;
#else
    return static_cast<unsigned>(__builtin_ctz(word));
#endif
}
// The upper 64 bits of the product.
TEGU_DEVICE std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDACC__)
    return __umul64hi(a, b);
#else
    __extension__ using Product = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Product>(a) * b) >> 64);
#endif
}
// word << amount; 0 for amounts of 32 and more.
TEGU_DEVICE std::uint32_t shift_left_clamped(std::uint32_t word, std::uint32_t amount) {
#if defined(__CUDACC__)
    return __funnelshift_lc(0, word, amount);
#else
    return amount < 32 ? word << amount : 0;
#endif
}
// Byte i of the result is the byte of high:low that nibble i of the selector selects. REQUIRES: no nibble
// exceeds 7.
TEGU_DEVICE std::uint32_t permute_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
#if defined(__CUDACC__)
    std::uint32_t result;  // __byte_perm() would mask the selector
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(selector));
    return result;
#else
    const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i)
        result |= static_cast<std::uint32_t>(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
    return result;
#endif
}
// The integer part; 0 for NaN and negative values, the largest u32 for larger values.
TEGU_DEVICE std::uint32_t to_unsigned(float value) {
#if defined(__CUDACC__)
    return __float2uint_rz(value);
#else
    return value > 0.0f ? value < 4294967296.0f ? static_cast<std::uint32_t>(value) : 0xffffffffu : 0;
#endif
}
// value + 0: -0 becomes 0, and every NaN becomes the same one, without a sign.
TEGU_DEVICE float plus_zero(float value) {
#if defined(__CUDACC__)
    return __fadd_rn(value, 0.0f);
#else
    return value == value ? value + 0.0f : __builtin_nanf("");
#endif
}
// a * b + c, rounded once, towards zero.
TEGU_DEVICE float multiply_add_truncated(float a, float b, float c) {
#if defined(__CUDACC__)
    return __fmaf_rz(a, b, c);
#else
    // exact, except where one term is far below the other
    const double exact = static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c);
    const float nearest = static_cast<float>(exact);
    const bool beyond =
        nearest > 0.0f ? static_cast<double>(nearest) > exact : static_cast<double>(nearest) < exact;
    return beyond ? __builtin_nextafterf(nearest, 0.0f) : nearest;
#endif
}
// abs(a - b) of the four unsigned bytes of each. Few instructions on sm_50 and later.
TEGU_DEVICE std::uint32_t bytes_apart(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDACC__)
    return __vabsdiffu4(a, b);
#else
    std::uint32_t result = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        const std::uint32_t x = (a >> shift) & 0xff, y = (b >> shift) & 0xff;
        result |= (x < y ? y - x : x - y) << shift;
    }
    return result;
#endif
}
// sum + the four a * b.
TEGU_DEVICE std::uint32_t add_byte_products(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
#if TEGU_HAS_DOT_PRODUCTS
    return __dp4a(a, b, sum);
#else
    TEGU_UNROLL
    for (unsigned shift = 0; shift < 32; shift += 8) sum += ((a >> shift) & 0xff) * ((b >> shift) & 0xff);
    return sum;
#endif
}
// sum + the four a * b of signed bytes.
TEGU_DEVICE std::int32_t add_signed_byte_products(std::uint32_t a, std::uint32_t b, std::int32_t sum) {
#if TEGU_HAS_DOT_PRODUCTS
    return __dp4a(static_cast<int>(a), static_cast<int>(b), sum);
#else
    TEGU_UNROLL
    for (unsigned shift = 0; shift < 32; shift += 8)
        sum += static_cast<std::int8_t>(a >> shift) * static_cast<std::int8_t>(b >> shift);
    return sum;
#endif
}
// sum + the two halves.
TEGU_DEVICE std::uint32_t add_halves(std::uint32_t a, std::uint32_t sum) {
#if TEGU_HAS_DOT_PRODUCTS
    return __dp2a_lo(a, 0x0101u, sum);
#else
    return sum + (a & 0xffff) + (a >> 16);
#endif
}
// Words of two unsigned halves, computed by halves: one instruction where kFastHalves, else several.
constexpr bool kFastHalves = TEGU_HAS_PACKED_HALVES;
TEGU_DEVICE std::uint32_t smaller_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDACC__)
    return __vminu2(a, b);
#else
    return ((a >> 16) < (b >> 16) ? a : b) >> 16 << 16 | ((a & 0xffff) < (b & 0xffff) ? a : b) % 0x10000;
#endif
}
TEGU_DEVICE std::uint32_t larger_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDACC__)
    return __vmaxu2(a, b);
#else
    return ((a >> 16) > (b >> 16) ? a : b) >> 16 << 16 | ((a & 0xffff) > (b & 0xffff) ? a : b) % 0x10000;
#endif
}

}  // namespace cuda
}  // namespace tegu
