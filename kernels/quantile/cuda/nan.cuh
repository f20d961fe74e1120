// SPDX-License-Identifier: Apache-2.0
// The key of NaN in ascending order.
#pragma once

#include "kernels/quantile/cuda/quantile.h"
#include "kernels/selection/cuda/block.cuh"

namespace tegu {
namespace cuda {

// The key of NaN in ascending order: no key is larger. Integers have no such key, and callers do not use it.
template <class U>
TEGU_DEVICE U nan_key(const KeyedSegment<U>& segment) {
    return encode_key(FloatBits<U>::kNan, segment.flip, true);
}

}  // namespace cuda
}  // namespace tegu
