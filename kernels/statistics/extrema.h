// SPDX-License-Identifier: Apache-2.0
// Minimum and maximum of a segment in f64.
#pragma once

#include "base/element_type.h"
#include "base/span.h"
#include "kernels/statistics/partial.h"

namespace tegu::kernels {

struct Extrema {
    bool any = false;  // there is an element that is not NaN
    bool nan = false;  // there is a NaN
    double lo = 0;     // rounded outwards if f64 cannot hold it: lo down, hi up
    double hi = 0;
};

inline Extrema extrema_of(const FloatPartial& partial) {
    return Extrema{partial.min <= partial.max, partial.nans != 0, partial.min, partial.max};
}
Extrema extrema_of(const IntegerPartial& partial);

// The extrema of the values that occur: counts[bits] is their number. REQUIRES: a type of one or two bytes.
Extrema extrema_of_values(ElementType type, Span<const std::uint64_t> counts);

}  // namespace tegu::kernels
