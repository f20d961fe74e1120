// SPDX-License-Identifier: Apache-2.0
// What NaN is among ascending keys.
#pragma once

#include "kernels/quantile/cuda/quantile.h"
#include "kernels/selection/cuda/block.cuh"

namespace tegu {
namespace cuda {

// Of NaN in ascending order: nothing has a larger one. Integers have no such key, and none is looked for.
template <class U>
TEGU_DEVICE U nan_key(const KeyedSegment<U>& segment) {
    return encode_key(FloatBits<U>::kNan, segment.flip, true);
}

}  // namespace cuda
}  // namespace tegu
