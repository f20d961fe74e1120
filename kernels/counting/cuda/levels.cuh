// SPDX-License-Identifier: Apache-2.0
// Converts elements to levels in device code, as kernels/counting/cpu/levels.cpp does: f32 arithmetic, each
// operation rounded to nearest, none contracted.
#pragma once

#include <cmath>

#include "kernels/counting/cuda/levels.h"
#include "kernels/execution/cuda/element.cuh"
#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {

// Offset of an integer from the smallest value of its type, and the distance of an element above the lower
// edge.
template <class T>
struct Leveled {
    using Count = typename UnsignedOf<sizeof(T)>::type;
    static constexpr bool kFloat = false;
    static constexpr Count kSign = static_cast<Count>(T(-1) < T(0) ? Count{1} << (8 * sizeof(T) - 1) : 0);
    TEGU_DEVICE static Count counted(T value) {
        return static_cast<Count>(static_cast<Count>(value) ^ kSign);
    }
    TEGU_DEVICE static float above(T value, const LevelRule& rule) {
        if (sizeof(T) < 4) return static_cast<float>(value) - rule.lo;
        const Count number = counted(value), base = static_cast<Count>(rule.base);
        return static_cast<float>(number > base ? static_cast<Count>(number - base) : Count{0}) - rule.lo;
    }
    // counted * levels / 2^bits, rounded down.
    TEGU_DEVICE static std::uint32_t whole(T value, std::uint32_t levels) {
        const Count number = counted(value);
        if (sizeof(T) == 8) return static_cast<std::uint32_t>(multiply_high(number, levels));
        if (sizeof(T) == 4) return static_cast<std::uint32_t>(std::uint64_t{number} * levels >> 32);
        return static_cast<std::uint32_t>(number) * levels >>
               (8 * sizeof(T) % 32);  // 2^16 - 1 times 2^16 fits
    }
};
template <>
struct Leveled<Half> {
    static constexpr bool kFloat = true;
    TEGU_DEVICE static float above(Half value, const LevelRule& rule) { return widen(value) - rule.lo; }
    TEGU_DEVICE static std::uint32_t whole(Half, std::uint32_t) { return 0; }
};
template <>
struct Leveled<float> {
    static constexpr bool kFloat = true;
    TEGU_DEVICE static float above(float value, const LevelRule& rule) { return value - rule.lo; }
    TEGU_DEVICE static std::uint32_t whole(float, std::uint32_t) { return 0; }
};
template <>
struct Leveled<double> {
    static constexpr bool kFloat = true;
    TEGU_DEVICE static float above(double value, const LevelRule& rule) {
        return static_cast<float>(value - rule.lo64);
    }
    TEGU_DEVICE static std::uint32_t whole(double, std::uint32_t) { return 0; }
};

// The level of an element that lies `above` the lower edge; 0 for NaN, also for the NaN of 0 * infinity.
// Always at most `last`.
TEGU_DEVICE std::uint32_t level_of_difference(float above, float inv, std::uint32_t last) {
    const std::uint32_t level = to_unsigned(above * inv);
    return level < last ? level : last;
}

// The level of an element, and whether it is NaN (level 0).
template <class T>
TEGU_DEVICE std::uint32_t level_of(T value, const LevelRule& rule, bool* nan) {
    if (!Leveled<T>::kFloat && !rule.by_range) {
        *nan = false;
        return Leveled<T>::whole(value, rule.levels);
    }
    const float above = Leveled<T>::above(value, rule);
    *nan = Leveled<T>::kFloat && above != above;  // the edge is finite: only a NaN element gives NaN
    return level_of_difference(above, rule.inv, rule.levels - 1);
}

// The rule of a range that was found, as kernels::level_scale_of_data() makes it. REQUIRES: *fits is true
// before. Sets it to false where no rule exists.
TEGU_DEVICE LevelRule level_rule_of_range(double lo, double hi, std::uint32_t levels, bool* fits) {
    LevelRule rule{true, levels, 0, 0, 0, 0};
    if (!(lo < hi)) return rule;  // no finite element, or only one value
    const double distance = hi - lo;
    rule.inv = static_cast<float>(static_cast<double>(levels) / distance);
    rule.lo = static_cast<float>(lo);
    rule.lo64 = lo;
    *fits = fabsf(static_cast<float>(distance)) <= 3.402823466e38f && fabsf(rule.inv) <= 3.402823466e38f;
    return rule;
}

}  // namespace cuda
}  // namespace tegu
