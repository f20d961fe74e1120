// SPDX-License-Identifier: Apache-2.0
// The rule that converts elements to levels, for every entropy, in the form that kernels take. Also the
// search for the smallest and the largest finite element. kernels/numerics/levels.h makes the rule;
// kernels/counting/cuda/levels.cuh applies it (docs/numerics.md, "Levels").
#pragma once

#include <cstdint>
#include <cstring>

#include "base/element_type.h"
#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace cuda {

// The fields of kernels::LevelScale.
struct LevelRule {
    bool by_range;
    std::uint32_t levels;
    float inv;
    float lo;
    std::uint64_t base;
    double lo64;
};
// Scale: kernels::LevelScale, whose header needs C++17.
template <class Scale>
LevelRule level_rule(const Scale& scale) {
    return LevelRule{scale.by_range, scale.levels, scale.inv, scale.lo, scale.base, scale.lo64};
}

// The finite elements of a segment, as keys: unsigned integers, as wide as the element, in the order of the
// numbers, -0 below +0.
struct FiniteBounds {
    std::uint64_t low;   // the complement of the smallest key; 0: no finite element
    std::uint64_t high;  // the largest key
};

struct FiniteArrays {
    const void* x;         // element (r, c) at x + (r * row_stride + c) elements; aligned to the element
    FiniteBounds* bounds;  // [segments], zero before the launch
    std::uint64_t segments;
    std::uint64_t lines;  // rows of x in one segment
    std::uint64_t cols;
    std::uint64_t row_stride;  // elements
};

// One launch. Float types only; any sizes.
LaunchStatus launch_finite_bounds(ElementType type, const FiniteArrays& arrays, const DeviceLimits& limits,
                                  Stream stream);

// The number of a key, exact in f64.
inline double value_of_key(ElementType type, std::uint64_t key) {
    const unsigned bits = static_cast<unsigned>(8 * element_bytes(type));
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    const std::uint64_t pattern = (key & sign) != 0 ? key ^ sign : ~key;
    if (type == ElementType::F16)
        return static_cast<double>(half_to_float(Half{static_cast<std::uint16_t>(pattern)}));
    if (type == ElementType::F32) {
        const std::uint32_t word = static_cast<std::uint32_t>(pattern);
        float value;
        std::memcpy(&value, &word, sizeof value);
        return static_cast<double>(value);
    }
    double value;
    std::memcpy(&value, &pattern, sizeof value);
    return value;
}
// Range: kernels::FiniteRange. Leaves it unchanged if there is no finite element.
template <class Range>
Range finite_range_of(ElementType type, const FiniteBounds& bounds) {
    Range range;
    if (bounds.low == 0) return range;
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * element_bytes(type));
    range.lo = value_of_key(type, ~bounds.low & mask);
    range.hi = value_of_key(type, bounds.high);
    return range;
}

}  // namespace cuda
}  // namespace tegu
