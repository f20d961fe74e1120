// SPDX-License-Identifier: Apache-2.0
// The chunk kernels of reduce: from one chunk of 16 tiles of 1024 elements to a partial result, compiled once
// per instruction set. docs/numerics.md defines the order of every float operation; this code uses its names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cpu/isa.h"
#include "kernels/numerics/chunk.h"
#include "kernels/statistics/partial.h"

namespace tegu::kernels {

// Reduces elements [0, n) of one chunk. `data` is aligned for the element type; the memory up to 8 KiB after
// the elements may be prefetched, which needs no access right. Fields outside `needs` are unspecified. Any
// thread may process any chunk in any order; the partial results enter a PartialTree in order. REQUIRES: 1 <=
// n <= kChunkElements; only the last chunk of a segment is shorter.
using FloatChunkKernel = void (*)(unsigned needs, const void* data, std::size_t n, FloatPartial* out);
using IntegerChunkKernel = void (*)(unsigned needs, const void* data, std::size_t n, IntegerPartial* out);

#define TEGU_X(number, Name, word, type) \
    TEGU_ISA_DECLARE(                    \
        void reduce_chunk_##word(unsigned needs, const void* data, std::size_t n, FloatPartial* out);)
TEGU_FLOAT_TYPES(TEGU_X)
#undef TEGU_X
#define TEGU_X(number, Name, word, type) \
    TEGU_ISA_DECLARE(                    \
        void reduce_chunk_##word(unsigned needs, const void* data, std::size_t n, IntegerPartial* out);)
TEGU_INTEGER_TYPES(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels
