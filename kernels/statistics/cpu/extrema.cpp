// SPDX-License-Identifier: Apache-2.0
#include "kernels/statistics/cpu/extrema.h"

#include <cmath>
#include <limits>

#include "kernels/statistics/cpu/typed.h"

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

}  // namespace

Extrema extrema_of(const IntegerPartial& partial) {
    return Extrema{true, false, rounded_down(partial.min), rounded_up(partial.max)};
}

Result<Extrema> find_extrema(ElementType type, const Segment& segment, ThreadPool* pool,
                             const StopToken& stop) {
    if (segment.n == 0) return Extrema{};
    return visit_element_type(type, [&](auto element) -> Result<Extrema> {
        using K = ReduceKernel<decltype(element)>;
        using Partial = typename K::Partial;
        const ChunkWork<Partial> work{K::select(), kNeedExtrema};
        Partial partial;
        Result<void> done = reduce_segment(work, segment, pool, stop, &partial);
        if (!done) return std::move(done).error();
        return extrema_of(partial);
    });
}

std::uint64_t extrema_scratch_bytes(ElementType type, std::uint64_t n) {
    return std::min(chunks_of(n), kMaxGroups) *
           (is_float(type) ? sizeof(FloatPartial) : sizeof(IntegerPartial));
}

}  // namespace tegu::kernels
