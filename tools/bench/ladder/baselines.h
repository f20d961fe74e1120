// SPDX-License-Identifier: Apache-2.0
// What a first CUDA course writes, to measure against: the extremes by a tree and an atomic a block, the k largest distinct values by a list in
// every thread, and an addition with one thread an element. Right at every n, and as slow as their form makes them.
#pragma once

#include "kernels/cuda/launch.h"

namespace tegu {
namespace bench {

struct BaselinePolicy {
    unsigned
        threads;  // of a block: a power of two, 32..1024; with lists so few that threads * k * 4 bytes fit shared memory
    unsigned blocks;  // of the first launch
};

// Order of i32 as order of u32.
inline std::uint32_t extreme_key(std::int32_t value) {
    return static_cast<std::uint32_t>(value) ^ 0x80000000u;
}
inline std::int32_t extreme_value(std::uint32_t key) {
    return static_cast<std::int32_t>(key ^ 0x80000000u);
}

// keys[0], keys[1]: extreme_key() of the smallest and the largest of x [n] and of what they were before. One launch.
cuda::LaunchStatus launch_plain_extremes(const std::int32_t* x, std::uint64_t n, std::uint32_t* keys,
                                         const BaselinePolicy& policy, cuda::Stream stream);

// k: 10 or 48. out [k]: the largest distinct values of x [n], descending; INT32_MIN where there are fewer. lists [policy.blocks * k] is work space.
// Two launches. k = 48 takes 192 bytes of shared memory a thread, so 256 threads are the most for it: the limit that its form has.
cuda::LaunchStatus launch_list_topk(unsigned k, const std::int32_t* x, std::uint64_t n, std::int32_t* out,
                                    std::int32_t* lists, const BaselinePolicy& policy, cuda::Stream stream);

// z = x + y, one thread an element. REQUIRES: n / policy.threads < 2^31. policy.blocks is not used.
cuda::LaunchStatus launch_plain_add(const float* x, const float* y, float* z, std::uint64_t n,
                                    const BaselinePolicy& policy, cuda::Stream stream);

}  // namespace bench
}  // namespace tegu
