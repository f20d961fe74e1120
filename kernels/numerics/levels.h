// SPDX-License-Identifier: Apache-2.0
// How elements become levels, for every entropy: the scale of a request, or of the range of the
// data. docs/numerics.md, "Levels", fixes the rule to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/element_type.h"
#include "base/result.h"

namespace tegu::kernels {

// By range: q = difference * inv in f32, cut to 0 .. levels - 1. How the difference from the lower edge is
// taken depends on the type. Else the whole range of an integer type is cut into `levels` equal parts.
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

// Of a range. `from` names it in an error: "the range". Errors: BadRange "range".
Result<LevelScale> level_scale_of_range(ElementType type, double lo, double hi, std::uint32_t levels,
                                        const char* from);

// Smallest and largest finite element seen; lo > hi if there is none.
struct FiniteRange {
    double lo = std::numeric_limits<double>::infinity();
    double hi = -std::numeric_limits<double>::infinity();
};

// Of the range that was found in float data: every element is level 0 if there is no finite one, or only one
// value. Errors: as above.
Result<LevelScale> level_scale_of_data(ElementType type, const FiniteRange& found, std::uint32_t levels);

// Of the whole range of an integer type. REQUIRES: the type is one.
LevelScale whole_level_scale(std::uint32_t levels);

}  // namespace tegu::kernels
