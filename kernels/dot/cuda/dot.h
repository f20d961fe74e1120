// SPDX-License-Identifier: Apache-2.0
// launch_dot: the scalar product of two segments, or of each pair of many (docs/numerics.md, "Scalar
// product"). Shapes, groups and ranges are those of reduce.
#pragma once

#include "kernels/statistics/cuda/reduce.h"

namespace tegu {
namespace cuda {

struct DotInputs {
    Segments x;  // both of the same n
    Segments y;
    bool skip_nans;
};

struct DotWork {
    // totals [segments of the launch * 3]: limbs of exact integer sums that do not fit
    ReduceWork reduce;
    void* out;          // element r: the result of segment r, f64 or 64 bits
    bool wide = false;  // integers: the three limbs of one segment instead
};

ReduceWorkload dot_workload(ElementType type, std::uint64_t segments, std::uint64_t n);

// What all launches of a job share.
struct DotLaunch {
    ElementType type;
    const DotInputs& inputs;
    const DotWork& work;
    const ReduceShape& shape;
};
// One launch. Results are complete after every group of a segment was launched once. An integer sum that does
// not fit is recorded as in ReduceWork. REQUIRES: range.count * range.group_count < 2^31.
LaunchStatus launch_dot(const DotLaunch& dot, const ReduceRange& range, Stream stream);

}  // namespace cuda
}  // namespace tegu
