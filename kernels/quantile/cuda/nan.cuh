// SPDX-License-Identifier: Apache-2.0
// What NaN is among ascending ranks.
#pragma once

#include "kernels/quantile/cuda/quantile.h"
#include "kernels/selection/cuda/block.cuh"

namespace tegu {
namespace cuda {

// Of NaN in ascending order: nothing has a larger one. Integers have no such rank, and none is looked for.
template <class U>
TEGU_DEVICE U nan_rank(const RankedSequence<U>& sequence) {
    return encode_rank(FloatBits<U>::kNan, sequence.flip, true);
}

}  // namespace cuda
}  // namespace tegu
