// SPDX-License-Identifier: Apache-2.0
// The bins of the listed keys of a range.
#pragma once

#include "kernels/quantile/cuda/quantile.h"
#include "kernels/selection/cuda/block.cuh"

namespace tegu {
namespace cuda {

// Bins of the listed keys of a group: as many as threads of a block find, or the lanes of a warp.
template <bool One>
constexpr unsigned kBracketBinBits = One ? kSelectBinBits : 9;
template <bool One>
constexpr unsigned kBracketBins = 1u << kBracketBinBits<One>;

// The bins of keys within a range. The first and the last one also have what lies outside the sample.
template <class U>
struct BracketBins {
    U first;
    U span;
    unsigned shift;
    TEGU_DEVICE void set(const BracketRange& range, unsigned bin_bits) {
        first = static_cast<U>(range.first);
        span = static_cast<U>(range.last - range.first);
        const std::uint32_t upper = static_cast<std::uint32_t>(std::uint64_t{span} >> 32);
        const unsigned bits =
            upper != 0 ? 64 - leading_zeros(upper) : 32 - leading_zeros(static_cast<std::uint32_t>(span));
        shift = bits > bin_bits ? bits - bin_bits : 0;
    }
    TEGU_DEVICE unsigned of(U key) const {
        if (key <= first) return 0;
        const U offset = static_cast<U>(key - first);
        return static_cast<unsigned>((offset < span ? offset : span) >> shift);
    }
    // The smallest key of a bin behind the first one.
    TEGU_DEVICE U first_of(unsigned bin) const {
        return static_cast<U>(first + static_cast<U>(U{static_cast<U>(bin)} << shift));
    }
};

}  // namespace cuda
}  // namespace tegu
