// SPDX-License-Identifier: Apache-2.0
// Smallest and largest element of a segment in f64, by the chunk kernels of reduce.
#pragma once

#include "kernels/execution/cpu/crew.h"

namespace tegu::kernels {

struct Extrema {
    bool any = false;  // there is an element that is not NaN
    bool nan = false;  // there is a NaN
    double lo = 0;     // what f64 cannot hold is rounded outwards: lo down, hi up
    double hi = 0;
};

// Errors: Cancelled, DeadlineExceeded, OutOfMemory.
Result<Extrema> find_extrema(ElementType type, const Segment& segment, ThreadPool* pool,
                             const StopToken& stop);

// Bytes that find_extrema() allocates at most.
std::uint64_t extrema_scratch_bytes(ElementType type, std::uint64_t n);

inline Extrema extrema_of(const FloatPartial& partial) {
    return Extrema{partial.min <= partial.max, partial.nans != 0, partial.min, partial.max};
}
Extrema extrema_of(const IntegerPartial& partial);

}  // namespace tegu::kernels
