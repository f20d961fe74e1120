// SPDX-License-Identifier: Apache-2.0
// The unit of work of dot: the products of one chunk of two segments, summed. The chunk kernels are compiled
// once per instruction set. Floats follow the canonical tree of docs/numerics.md over the products; integers
// are exact in 192 bits. Above the chunk both use the tree of kernels/statistics/partial.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/statistics/cpu/chunk.h"

namespace tegu::kernels {

struct FloatDot {
    double sum;
};

// Two's complement, little-endian limbs. 2^63 products of 64-bit elements stay below 2^190.
struct IntegerDot {
    std::uint64_t limb[3];
};

// Sums x[i] * y[i] for i in [0, n); x and y lie at any address. `skip_nans`: pairs with a NaN are left out.
// REQUIRES: 1 <= n <= kChunkElements.
using FloatDotKernel = void (*)(const std::byte* x, const std::byte* y, std::size_t n, bool skip_nans,
                                FloatDot* out);
using IntegerDotKernel = void (*)(const std::byte* x, const std::byte* y, std::size_t n, bool,
                                  IntegerDot* out);

#define TEGU_X(word)                                                                                         \
    TEGU_ISA_DECLARE(void dot_chunk_##word(const std::byte* x, const std::byte* y, std::size_t n, bool skip, \
                                           FloatDot* out);)
TEGU_REDUCE_FLOAT_KERNELS(TEGU_X)
#undef TEGU_X
#define TEGU_X(word, type)                                                                                   \
    TEGU_ISA_DECLARE(void dot_chunk_##word(const std::byte* x, const std::byte* y, std::size_t n, bool skip, \
                                           IntegerDot* out);)
TEGU_REDUCE_INTEGER_KERNELS(TEGU_X)
#undef TEGU_X

// a = a + b, where b follows a in the segment.
inline void merge_partials(FloatDot& a, const FloatDot& b) {
    a.sum += b.sum;
}
inline void merge_partials(IntegerDot& a, const IntegerDot& b) {
    Uint128 carry = 0;
    for (int i = 0; i < 3; ++i) {
        carry += static_cast<Uint128>(a.limb[i]) + b.limb[i];
        a.limb[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
}

}  // namespace tegu::kernels
