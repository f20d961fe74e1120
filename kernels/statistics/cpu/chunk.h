// SPDX-License-Identifier: Apache-2.0
// The unit of work of reduce: one chunk of 16 tiles of 1024 elements, from memory to a partial result. The
// chunk kernels are compiled once per instruction set; everything above a chunk
// (kernels/statistics/partial.h) is ordinary code. The positions and the order of every float operation are
// fixed by docs/numerics.md; the names here are its names. Plain old data only, and functions of internal
// linkage: this header is included by objects for different instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

constexpr std::size_t kTileElements = 1024;
constexpr std::size_t kChunkElements = 16 * kTileElements;

// What a chunk kernel computes; a set of statistics needs a few of these.
enum ReduceNeed : unsigned {
    kNeedSum = 1,
    kNeedL1 = 2,
    kNeedMoments = 4,  // integers: the sum and the sum of squares
    kNeedExtrema = 8,
    kNeedNans = 16,  // floats only; implied by kNeedExtrema and kSkipNans
    kNeedZeros = 32,
    kSkipNans = 64,
};

// A node (count, sum, sum of squared deviations) of the moments tree. count is exact: below 2^53.
struct Moments {
    double n;
    double s;
    double m2;
};

// Both children of a node into one; commutative to the bit. A child without elements is skipped.
static inline __attribute__((always_inline)) Moments merge_moments(Moments a, Moments b) {
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    const double n = a.n + b.n;
    double between;
    if (a.n == b.n) {
        const double t = a.s - b.s;
        between = (t * t) / n;
    } else {
        const double t = a.s / a.n - b.s / b.n;
        between = (t * t) * ((a.n * b.n) / n);
    }
    return Moments{n, a.s + b.s, (a.m2 + b.m2) + between};
}

// of the counted elements; set with kNeedMoments only
enum FloatFlag : unsigned { kHasNan = 1, kHasInfinity = 2 };

struct FloatPartial {
    double sum;
    double l1;
    Moments moments;
    double min;  // of the elements that are not NaN; +inf and -inf if there is none
    double max;
    // first element of the first chunk that holds the minimum, ~0 if there is none; the caller of a kernel
    // fills these
    std::uint64_t min_at;
    std::uint64_t max_at;
    std::uint64_t nan_at;  // of the first chunk with a NaN; ~0 if none
    std::uint64_t nans;
    std::uint64_t zeros;
    unsigned flags;
};

struct IntegerPartial {
    Int128 sum;
    Uint128 l1;
    std::uint64_t squares[3];  // little-endian limbs
    Int128 min;
    Int128 max;
    std::uint64_t min_at;
    std::uint64_t max_at;
    std::uint64_t zeros;
};

// Reduces elements [0, n) of one chunk. `data` is aligned for the element type; the memory up to 8 KiB after
// the elements may be prefetched, which needs no right to read it. Fields that `needs` does not ask for are
// unspecified. A pass of several operations calls a kernel for the chunks of a segment in any order and on
// any thread, while each is in a cache (ChunkWork in kernels/statistics/cpu/segment.h gathers and sets the
// positions), then pushes the partial results into a PartialTree in order.
// REQUIRES: 1 <= n <= kChunkElements; only the last chunk of a segment is shorter.
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
