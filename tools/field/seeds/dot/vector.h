// SPDX-License-Identifier: Apache-2.0
// Seed S5: statistics of float vectors by a tree in shared memory: minimum, maximum, sum, mean, Euclidean
// norm and scalar product. One block does all, or many blocks leave partial results that a second launch of
// one block joins. The shared memory is static or dynamic.
//
// Right at every n. C++14.
#pragma once

#include "kernels/execution/cuda/kernel_list.h"

// X(Name, word)
#define TEGU_VECTOR_STATISTICS(X) \
    X(Min, "min") X(Max, "max") X(Sum, "sum") X(Mean, "mean") X(Norm, "norm") X(Dot, "dot")

namespace tegu {
namespace seeds {

enum class VectorStatistic : std::uint8_t {
#define TEGU_X(Name, word) Name,
    TEGU_VECTOR_STATISTICS(TEGU_X)
#undef TEGU_X
};
enum class SharedMemory : std::uint8_t { Static, Dynamic };

struct VectorPolicy {
    unsigned threads;  // of a block: a power of two, 32..1024
    unsigned blocks;   // of the first launch, any number; 1: it is the only launch
    SharedMemory shared;
};

struct VectorInput {
    const float* x;  // [n]
    const float* y;  // [n], of Dot alone
    std::uint64_t n;
};

// out[0]: the statistic; partials [policy.blocks] is work space. One launch, or two. Of nothing the minimum
// is +infinity, the maximum -infinity, the mean NaN and the others 0. A NaN in x does not count in minimum
// and maximum. All arithmetic is f32, so the bits of sums depend on the policy.
cuda::LaunchStatus launch_vector_statistic(VectorStatistic statistic, const VectorInput& input,
                                           float* partials, float* out, const VectorPolicy& policy,
                                           cuda::Stream stream);
// Additions that an element goes through at most: a sum is off by at most additions * 2^-24 / (1 - additions
// * 2^-24) * (sum of the absolute values).
std::uint64_t vector_additions(std::uint64_t n, const VectorPolicy& policy);

// The kernel of the first launch, and of the second.
cuda::KernelEntry vector_kernel(VectorStatistic statistic, const VectorPolicy& policy);
cuda::KernelEntry vector_join_kernel(VectorStatistic statistic, const VectorPolicy& policy);

}  // namespace seeds
}  // namespace tegu
