// SPDX-License-Identifier: Apache-2.0
// The bins of the listed keys of a range.
#pragma once

#include "kernels/quantile/cuda/quantile.h"
#include "kernels/selection/cuda/block.cuh"

namespace tegu {
namespace cuda {

// The bins of keys within a range. The first and the last one also have what lies outside the sample.
template <class U>
struct BracketBins {
    U first;
    U span;
    unsigned shift;
    TEGU_DEVICE void set(const BracketRange& range) {
        first = static_cast<U>(range.first);
        span = static_cast<U>(range.last - range.first);
        const std::uint32_t upper = static_cast<std::uint32_t>(std::uint64_t{span} >> 32);
        const unsigned bits =
            upper != 0 ? 64 - leading_zeros(upper) : 32 - leading_zeros(static_cast<std::uint32_t>(span));
        shift = bits > kSelectBinBits ? bits - kSelectBinBits : 0;
    }
    TEGU_DEVICE unsigned of(U key) const {
        if (key <= first) return 0;
        const U offset = static_cast<U>(key - first);
        return static_cast<unsigned>((offset < span ? offset : span) >> shift);
    }
};

}  // namespace cuda
}  // namespace tegu
