// SPDX-License-Identifier: Apache-2.0
// Which order statistics a quantile needs and what becomes of them, to the bit as numpy 2 does it
// (docs/numerics.md, "Quantiles"). Every backend finds the statistics in its own way and finishes here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/job.h"
#include "kernels/quantile/pair.h"

namespace tegu::kernels::quantile {

// Where a quantile lies among n sorted values.
struct Position {
    std::uint64_t rank;  // of the smaller neighbour, or of the result
    bool last;           // there is no larger one: it stands for both
    double weight;       // of the larger neighbour
};

// REQUIRES: n >= 1; 0 <= q <= 1.
Position position_of(double q, std::uint64_t n, QuantileMethod method);

// Of the quantiles of elements of a type.
ElementType result_type(ElementType type, QuantileMethod method);

// Writes the quantiles of one segment of n elements, `nans` of them NaN. pairs[i]: the keys, ascending, at
// the rank of q[i] and behind it; not read where every quantile is NaN, and the second not where there is no
// larger neighbour.
void finish(const QuantileParams& params, ElementType type, std::uint64_t n, std::uint64_t nans,
            const Pair* pairs, std::byte* out);

}  // namespace tegu::kernels::quantile
