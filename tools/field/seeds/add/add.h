// SPDX-License-Identifier: Apache-2.0
// Seed S2, first part: the sum of two vectors with one thread per element. C++14.
#pragma once

#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace seeds {

// z = x + y, all [n] f32. One launch; none for n = 0. threads: of a block, 32..1024. REQUIRES: n / threads <
// 2^31.
cuda::LaunchStatus launch_plain_add(const float* x, const float* y, float* z, std::uint64_t n,
                                    unsigned threads, cuda::Stream stream);
cuda::KernelEntry plain_add_kernel(unsigned threads);

}  // namespace seeds
}  // namespace tegu
