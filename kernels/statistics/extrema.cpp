// SPDX-License-Identifier: Apache-2.0
#include "kernels/statistics/extrema.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/half.h"

namespace tegu::kernels {
namespace {

double rounded_down(Int128 value) {
    const double nearest = static_cast<double>(value);
    return static_cast<Int128>(nearest) > value
               ? std::nextafter(nearest, -std::numeric_limits<double>::infinity())
               : nearest;
}

double rounded_up(Int128 value) {
    const double nearest = static_cast<double>(value);
    return static_cast<Int128>(nearest) < value
               ? std::nextafter(nearest, std::numeric_limits<double>::infinity())
               : nearest;
}

// The value of these bits, finite or not; f16 is the only float type here.
double value_of(ElementType type, std::uint32_t bits) {
    switch (type) {
        case ElementType::U8:
        case ElementType::U16: return bits;
        case ElementType::I8: return static_cast<std::int8_t>(bits);
        case ElementType::I16: return static_cast<std::int16_t>(bits);
        default: return static_cast<double>(half_to_float(Half{static_cast<std::uint16_t>(bits)}));
    }
}

}  // namespace

Extrema extrema_of(const IntegerPartial& partial) {
    return Extrema{true, false, rounded_down(partial.min), rounded_up(partial.max)};
}

Extrema extrema_of_values(ElementType type, Span<const std::uint64_t> counts) {
    Extrema found;
    for (std::uint32_t bits = 0; bits < counts.size(); ++bits) {
        if (counts[bits] == 0) continue;
        const double value = value_of(type, bits);
        if (value != value) {
            found.nan = true;
            continue;
        }
        found.lo = found.any ? std::min(found.lo, value) : value;
        found.hi = found.any ? std::max(found.hi, value) : value;
        found.any = true;
    }
    return found;
}

}  // namespace tegu::kernels
