// SPDX-License-Identifier: Apache-2.0
// The chunk kernels of dot: the sum of the products of one chunk of two segments, compiled once per
// instruction set. Floats follow the canonical tree of docs/numerics.md over the products; integers are exact
// in 192 bits. kernels/statistics/partial_tree.h merges chunks of both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dot/result.h"
#include "kernels/statistics/cpu/chunk.h"

namespace tegu::kernels {

// Sums x[i] * y[i] for i in [0, n); x and y have any alignment. `skip_nans`: pairs with a NaN are left out.
// REQUIRES: 1 <= n <= kChunkElements.
using FloatDotKernel = void (*)(const std::byte* x, const std::byte* y, std::size_t n, bool skip_nans,
                                FloatDot* out);
using IntegerDotKernel = void (*)(const std::byte* x, const std::byte* y, std::size_t n, bool,
                                  IntegerDot* out);

#define TEGU_X(number, Name, word, type)                                                                     \
    TEGU_ISA_DECLARE(void dot_chunk_##word(const std::byte* x, const std::byte* y, std::size_t n, bool skip, \
                                           FloatDot* out);)
TEGU_FLOAT_TYPES(TEGU_X)
#undef TEGU_X
#define TEGU_X(number, Name, word, type)                                                                     \
    TEGU_ISA_DECLARE(void dot_chunk_##word(const std::byte* x, const std::byte* y, std::size_t n, bool skip, \
                                           IntegerDot* out);)
TEGU_INTEGER_TYPES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels
