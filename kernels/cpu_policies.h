// SPDX-License-Identifier: Apache-2.0
// Policies of the CPU backend: plain numbers, with defaults that hold without a tuning row. A policy changes
// the speed and the working memory of a job, never a bit of its result.
#pragma once

#include <cstdint>

#include "kernels/entropy_map/policy.h"
#include "kernels/quantile/policy.h"
#include "kernels/topk/policy.h"

namespace tegu::kernels {

// The threads of a job, for every operation.
struct CpuSharePolicy {
    unsigned threads = 0;  // maximum threads of a job, the caller included; 0: the whole pool
    // Predicted work on one thread from which the job is shared; 0: the operation's own number.
    std::uint64_t share_ns = 0;
};

// For operations that go through their arrays in blocks.
struct CpuBlockPolicy {
    // block of one thread, a multiple of 4096; 0: the operation's own number
    std::uint64_t block_bytes = 0;
};

// The policies of one job; an operation reads its own member only.
struct CpuPolicies {
    CpuSharePolicy share;
    CpuBlockPolicy block;
    CpuEntropyMapPolicy entropy_map;
    CpuTopkPolicy topk;
    CpuQuantilePolicy quantile;
};

}  // namespace tegu::kernels
