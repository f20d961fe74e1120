// SPDX-License-Identifier: Apache-2.0
// The conversion of elements to levels, for every entropy: a scale from the request, or from the range of the
// data. docs/numerics.md, "Levels", defines every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/element_type.h"
#include "base/result.h"

namespace tegu::kernels {

// With a range: q = difference * inv in f32, limited to 0 .. levels - 1. The type decides the computation of
// the difference from the lower edge. Without: the whole range of an integer type is cut into `levels` equal
// parts.
struct LevelScale {
    bool by_range = false;
    std::uint32_t levels = 2;  // 2..65536
    float inv = 0;             // 0: every element is level 0
    // 8 and 16 bits, f32: the lower edge; integers of 32 and 64 bits: the edge, counted from `base`
    float lo = 0;
    // integers of 32 and 64 bits: where differences start, counted from the type's smallest value
    std::uint64_t base = 0;
    double lo64 = 0;  // f64: the lower edge
};

// The scale of a range. `from` is its name in an error: "the range". Errors: BadRange "range".
Result<LevelScale> level_scale_of_range(ElementType type, double lo, double hi, std::uint32_t levels,
                                        const char* from);

// Minimum and maximum of the finite elements; lo > hi if there is none.
struct FiniteRange {
    double lo = std::numeric_limits<double>::infinity();
    double hi = -std::numeric_limits<double>::infinity();
};

// The scale of the range found in float data. Without a finite element, or with only one value, every element
// is level 0. Errors: as above.
Result<LevelScale> level_scale_of_data(ElementType type, const FiniteRange& found, std::uint32_t levels);

// The scale of the whole range of an integer type. REQUIRES: the type is one.
LevelScale whole_level_scale(std::uint32_t levels);

}  // namespace tegu::kernels
