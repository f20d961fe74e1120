// SPDX-License-Identifier: Apache-2.0
#include "kernels/statistics/cpu/find_extrema.h"

#include "kernels/statistics/cpu/typed.h"

namespace tegu::kernels {

Result<Extrema> find_extrema(ElementType type, const Segment& segment, const WorkerGroup& workers) {
    if (segment.n == 0) return Extrema{};
    return visit_element_type(type, [&](auto element) -> Result<Extrema> {
        using K = ReduceKernel<decltype(element)>;
        using Partial = typename K::Partial;
        const ChunkWork<Partial> work{K::select(), kNeedExtrema};
        Partial partial;
        Result<void> done = reduce_segment(work, segment, workers, &partial);
        if (!done) return std::move(done).error();
        return extrema_of(partial);
    });
}

std::uint64_t extrema_scratch_bytes(ElementType type, std::uint64_t n) {
    return std::min(chunks_of(n), kMaxGroups) *
           (is_float(type) ? sizeof(FloatPartial) : sizeof(IntegerPartial));
}

}  // namespace tegu::kernels
