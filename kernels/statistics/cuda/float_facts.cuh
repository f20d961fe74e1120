// SPDX-License-Identifier: Apache-2.0
// The facts of float statistics outside the trees: extremes, zeros and NaN. They have no order. So a warp
// takes the minimum of its lanes' words directly, which is one instruction on newer devices.
#pragma once

#include "kernels/execution/cuda/words.cuh"
#include "kernels/statistics/cuda/float_tree.cuh"

namespace tegu {
namespace cuda {

// The facts of a lane over all its leaves.
template <class A>
struct LaneFacts {
    A min = static_cast<A>(kInfinity);
    A max = static_cast<A>(-kInfinity);
    std::uint32_t min_in = kNotFound;  // the first leaf with it, numbered by the caller
    std::uint32_t max_in = kNotFound;
    std::uint32_t nan_at = kNotFound;  // position of the first NaN, counted by the caller
    // number of NaN, plus kInfiniteLeaf for each leaf with a decisive infinity: both fit for a warp's 16
    // tiles
    std::uint32_t rare = 0;
    std::uint32_t zeros = 0;
};
constexpr std::uint32_t kInfiniteLeaf = 1u << 16;

// Gives every lane the merged facts of its group of `width` lanes.
template <unsigned Parts, class A>
TEGU_DEVICE void fold_facts(LaneFacts<A>* facts, unsigned width) {
    const bool rare = warp_any(facts->rare != 0);
    TEGU_NO_UNROLL
    for (unsigned mask = width / 2; mask > 0; mask /= 2) {
        if (rare) {
            facts->rare += shuffle_xor(facts->rare, mask);
            const std::uint32_t nan_at = shuffle_xor(facts->nan_at, mask);
            if (nan_at < facts->nan_at) facts->nan_at = nan_at;
        }
        if (!(Parts & kPartOrder)) continue;
        const A min = shuffle_xor(facts->min, mask);
        const std::uint32_t min_in = shuffle_xor(facts->min_in, mask);
        if (min < facts->min || (min == facts->min && min_in < facts->min_in)) {
            facts->min = min;
            facts->min_in = min_in;
        }
        const A max = shuffle_xor(facts->max, mask);
        const std::uint32_t max_in = shuffle_xor(facts->max_in, mask);
        if (max > facts->max || (max == facts->max && max_in < facts->max_in)) {
            facts->max = max;
            facts->max_in = max_in;
        }
        facts->zeros += shuffle_xor(facts->zeros, mask);
    }
}

// Maps floats to unsigned numbers in the order of the values; both zeros are equal. Not for NaN.
TEGU_DEVICE std::uint32_t order_of(float x) {
    const std::uint32_t bits = bit_cast<std::uint32_t>(x + 0.0f);
    return bits ^ ((bits >> 31) != 0 ? ~std::uint32_t{0} : std::uint32_t{1} << 31);
}
TEGU_DEVICE std::uint64_t order_of(double x) {
    const std::uint64_t bits = bit_cast<std::uint64_t>(x + 0.0);
    return bits ^ ((bits >> 63) != 0 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}
TEGU_DEVICE float value_of(std::uint32_t order) {
    return bit_cast<float>(order ^ ((order >> 31) != 0 ? std::uint32_t{1} << 31 : ~std::uint32_t{0}));
}
TEGU_DEVICE double value_of(std::uint64_t order) {
    return bit_cast<double>(order ^ ((order >> 63) != 0 ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}
// The smallest word of the lanes.
TEGU_DEVICE std::uint64_t warp_min(std::uint64_t word) {
    const auto high = static_cast<std::uint32_t>(word >> 32);
    const std::uint32_t best = warp_min(high);
    return std::uint64_t{best} << 32 |
           warp_min(high == best ? static_cast<std::uint32_t>(word) : ~std::uint32_t{0});
}
template <class Word>
TEGU_DEVICE Word warp_total(Word word) {
    if (!warp_any(word != 0)) return 0;
    TEGU_NO_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) word += shuffle_xor(word, mask);
    return word;
}
// Gives all lanes the smallest value of the lanes, or the largest, and its first position.
template <class A, class At>
TEGU_DEVICE void warp_extremes(A* min, At* min_at, A* max, At* max_at) {
    const auto low = order_of(*min);
    const auto high = static_cast<decltype(low)>(~order_of(*max));
    const auto lowest = warp_min(low);
    const auto highest = warp_min(high);
    *min_at = warp_min(low == lowest ? *min_at : ~At{0});
    *max_at = warp_min(high == highest ? *max_at : ~At{0});
    *min = value_of(lowest);
    *max = value_of(static_cast<decltype(low)>(~highest));
}

// fold_facts() of a whole warp: all lanes get the facts of all.
template <unsigned Parts, class A>
TEGU_DEVICE void fold_warp_facts(LaneFacts<A>* facts) {
    if (warp_any(facts->rare != 0)) {
        facts->rare = warp_total(facts->rare);
        facts->nan_at = warp_min(facts->nan_at);
    }
    if (!(Parts & kPartOrder)) return;
    warp_extremes(&facts->min, &facts->min_in, &facts->max, &facts->max_in);
    facts->zeros = warp_total(facts->zeros);
}

}  // namespace cuda
}  // namespace tegu
