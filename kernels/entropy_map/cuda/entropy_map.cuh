// SPDX-License-Identifier: Apache-2.0
// Shared by the kernels of entropy_map: mirrored indices, and the step from a sum of table entries to an
// entropy.
#pragma once

#include <cmath>

#include "kernels/counting/cuda/levels.cuh"
#include "kernels/entropy_map/cuda/entropy_map.h"

namespace tegu {
namespace cuda {

// The pixel at `index` when n pixels are repeatedly mirrored at their edges.
TEGU_DEVICE std::int64_t mirrored(std::int64_t index, std::int64_t n) {
    if (index >= 0 && index < n) return index;
    const std::int64_t once = index < 0 ? -1 - index : 2 * n - 1 - index;
    if (once >= 0 && once < n) return once;
    std::int64_t wrapped = index % (2 * n);
    if (wrapped < 0) wrapped += 2 * n;
    return wrapped < n ? wrapped : 2 * n - 1 - wrapped;
}

// Entropies of windows of N pixels: (F[N] - sum) / (N * 2^shift), rounded as IEEE division does.
struct EntropyFinish {
    std::uint32_t whole;  // F[N]
    float divisor;        // N * 2^shift: at most 12 bits and a power of two
    float reciprocal;     // rounded to nearest

    TEGU_DEVICE void set(const EntropyTables& tables, unsigned pixels) {
        set(tables.entries[pixels], pixels, tables.scale);
    }
    TEGU_DEVICE void set(std::uint32_t entry, unsigned pixels, float scale) {
        whole = entry;
        divisor = static_cast<float>(pixels) * scale;
        reciprocal = 1.0f / divisor;
    }
    // One correction step; the estimate is off by at most two units in the last place. The remainder is
    // exact, because the divisor has 12 bits. So the result differs from the quotient by 2^-23 of a unit. No
    // quotient lies nearer than 2^-13 of a unit to the middle of two numbers.
    TEGU_DEVICE float of(std::uint32_t sum) const {
        const float difference = static_cast<float>(static_cast<std::int32_t>(whole - sum));
        const float estimate = difference * reciprocal;
        return fmaf(fmaf(-estimate, divisor, difference), reciprocal, estimate);
    }
};

}  // namespace cuda
}  // namespace tegu
