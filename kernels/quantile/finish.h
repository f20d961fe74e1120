// SPDX-License-Identifier: Apache-2.0
// The order statistics of a quantile, and their interpolation, bit for bit as in numpy 2 (docs/numerics.md,
// "Quantiles"). Each backend finds the statistics by its own methods and finishes here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/job.h"
#include "kernels/quantile/pair.h"

namespace tegu::kernels::quantile {

// The position of a quantile among n sorted values.
struct Position {
    std::uint64_t rank;  // of the smaller neighbour, or of the result
    bool last;           // no larger neighbour: this one serves as both
    double weight;       // of the larger neighbour
};

// REQUIRES: n >= 1; 0 <= q <= 1.
Position position_of(double q, std::uint64_t n, QuantileMethod method);

// The type of the quantiles of elements of a type.
ElementType result_type(ElementType type, QuantileMethod method);

// Writes the quantiles of one segment of n elements, `nans` of them NaN. pairs[i]: the ascending keys at the
// rank of q[i] and behind it. They are not read if every quantile is NaN; the second is not read without a
// larger neighbour.
void finish(const QuantileParams& params, ElementType type, std::uint64_t n, std::uint64_t nans,
            const Pair* pairs, std::byte* out);

}  // namespace tegu::kernels::quantile
