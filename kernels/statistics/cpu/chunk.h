// SPDX-License-Identifier: Apache-2.0
// The chunk kernels of reduce: from one chunk of 16 tiles of 1024 elements to a partial result, compiled once
// per instruction set. docs/numerics.md defines the order of every float operation; this code uses its names.
#pragma once

#include <cstddef>
#include <cstdint>

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

#define TEGU_REDUCE_FLOAT_KERNELS(X) X(f16) X(f32) X(f64)
#define TEGU_REDUCE_INTEGER_KERNELS(X) \
    X(u8, std::uint8_t)                \
    X(i8, std::int8_t)                 \
    X(u16, std::uint16_t)              \
    X(i16, std::int16_t)               \
    X(u32, std::uint32_t)              \
    X(i32, std::int32_t)               \
    X(u64, std::uint64_t)              \
    X(i64, std::int64_t)

#define TEGU_X(word)  \
    TEGU_ISA_DECLARE( \
        void reduce_chunk_##word(unsigned needs, const void* data, std::size_t n, FloatPartial* out);)
TEGU_REDUCE_FLOAT_KERNELS(TEGU_X)
#undef TEGU_X
#define TEGU_X(word, type) \
    TEGU_ISA_DECLARE(      \
        void reduce_chunk_##word(unsigned needs, const void* data, std::size_t n, IntegerPartial* out);)
TEGU_REDUCE_INTEGER_KERNELS(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels
