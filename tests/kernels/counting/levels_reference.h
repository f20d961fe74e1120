// SPDX-License-Identifier: Apache-2.0
// The level of one element, written straight from docs/numerics.md: exact integers of 128 bits, no vectors.
// Slow and obvious.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/element_type.h"

namespace tegu::testing_support {

__extension__ using Int128 = __int128;

// What a request says about levels. `has_range` is set for float data, too, where a range was found; lo >=
// hi: every element is level 0.
struct LevelRule {
    std::uint32_t levels = 2;
    bool has_range = false;
    double lo = 0;
    double hi = 0;
};

inline double as_double(Half value) {
    return static_cast<double>(half_to_float(value));
}
template <class T>
double as_double(T value) {
    return static_cast<double>(value);
}

template <class T>
float distance_from_edge(T v, double lo) {
    if constexpr (std::is_integral<T>::value && sizeof(T) >= 4) {
        const Int128 smallest = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
        const double floored = std::floor(lo);
        const Int128 b = floored <= -1e30 ? smallest
                         : floored >= 1e30
                             ? largest
                             : std::min(std::max(static_cast<Int128>(floored), smallest), largest);
        const volatile float above = static_cast<float>(std::max(static_cast<Int128>(v) - b, Int128{0}));
        const volatile float edge = static_cast<float>(lo - static_cast<double>(b));
        return above - edge;
    } else if constexpr (std::is_same<T, double>::value) {
        const volatile double difference = v - lo;
        return static_cast<float>(difference);
    } else {
        const volatile float edge = static_cast<float>(lo);
        return static_cast<float>(as_double(v)) - edge;
    }
}

// REQUIRES: a range that is allowed, or none; a range for floats.
template <class T>
std::uint32_t reference_level(T v, const LevelRule& rule) {
    constexpr bool kNarrow = sizeof(T) <= 2 || std::is_same<T, float>::value;
    if constexpr (std::is_integral<T>::value) {
        if (!rule.has_range) {
            const Int128 counted = static_cast<Int128>(v) - std::numeric_limits<T>::min();
            return static_cast<std::uint32_t>(counted * rule.levels >> (8 * sizeof(T)));
        }
    } else if (std::isnan(as_double(v)) || !(rule.lo < rule.hi)) {
        return 0;
    }
    const double lo = kNarrow ? static_cast<double>(static_cast<float>(rule.lo)) : rule.lo;
    const double hi = kNarrow ? static_cast<double>(static_cast<float>(rule.hi)) : rule.hi;
    const volatile float inv = static_cast<float>(double(rule.levels) / (hi - lo));
    const volatile float d = distance_from_edge(v, lo);
    const volatile float q = d * inv;
    return q < 0 ? 0 : q >= static_cast<float>(rule.levels) ? rule.levels - 1 : static_cast<std::uint32_t>(q);
}

}  // namespace tegu::testing_support
