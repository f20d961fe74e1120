// SPDX-License-Identifier: Apache-2.0
// The partial result of a part of a segment, for floats and for integers, and the fields that each statistic
// needs. Plain data only: objects for different instruction sets include this header.
#pragma once

#include <cstdint>

#include "kernels/numerics/int128.h"

namespace tegu::kernels {

// The parts of a chunk kernel's work; a set of statistics needs some of them.
enum ReduceNeed : unsigned {
    kNeedSum = 1,
    kNeedL1 = 2,
    kNeedMoments = 4,  // integers: the sum and the sum of squares
    kNeedExtrema = 8,
    kNeedNans = 16,  // floats only; implied by kNeedExtrema and kSkipNans
    kNeedZeros = 32,
    kSkipNans = 64,
    kFromMemory = 128,  // no need: the elements are in no cache, so their order of reading counts (CPU)
};

// A node (count, sum, sum of squared deviations) of the moments tree. count is exact: below 2^53.
struct Moments {
    double n;
    double s;
    double m2;
};

// Merges two child nodes; commutative to the bit. Skips a child without elements.
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
    // first element of the first chunk that holds the minimum, ~0 if there is none; set by the caller of the
    // kernel
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

}  // namespace tegu::kernels
