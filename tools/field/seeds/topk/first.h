// SPDX-License-Identifier: Apache-2.0
// The last step of a top-k by full sort. C++14.
#pragma once

#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace seeds {

// out [k]: the first k distinct values of sorted [n], then INT32_MIN. One launch of one block, which reads on
// until it has k.
cuda::LaunchStatus launch_first_distinct(const std::int32_t* sorted, std::uint64_t n, unsigned k,
                                         std::int32_t* out, cuda::Stream stream);

}  // namespace seeds
}  // namespace tegu
