// SPDX-License-Identifier: Apache-2.0
// Policies of the CPU backend: plain numbers, with defaults that hold without a tuning row. A policy changes
// the speed and the working memory of a job, never a bit of its result.
#pragma once

#include <cstdint>

namespace tegu::kernels {

// The threads of a job, for every operation.
struct CpuSharePolicy {
    unsigned threads = 0;  // maximum threads of a job, the caller included; 0: the whole pool
    // Predicted work on one thread from which the job is shared; 0: the operation's own number.
    std::uint64_t share_ns = 0;
};

// For add and rowscale.
struct CpuBlockPolicy {
    // block of one thread, a multiple of 4096; 0: the operation's own number
    std::uint64_t block_bytes = 0;
};

enum class CpuEntropyMethod : std::uint8_t { Chosen, Slide, Planes, Columns, Prefix };
struct CpuEntropyMapPolicy {
    // A method that cannot compute the map is replaced by the automatic choice.
    CpuEntropyMethod method = CpuEntropyMethod::Chosen;
    std::uint32_t tile_rows = 0;  // results that a thread takes at a time; 0: 64
    std::uint32_t tile_cols = 0;  // 0: by method
};

enum class CpuTopkMethod : std::uint8_t { Chosen, Direct, Blocks, Threshold, Buckets };
struct CpuTopkPolicy {
    // Not used by `distinct`. A method that cannot solve the problem is replaced by the automatic choice.
    CpuTopkMethod method = CpuTopkMethod::Chosen;
};

enum class CpuQuantileMethod : std::uint8_t { Chosen, Counts, Direct, Brackets, Sort };
struct CpuQuantilePolicy {
    CpuQuantileMethod method = CpuQuantileMethod::Chosen;  // replaced if it cannot solve the problem
};

// The policies of one job; an operation reads its own member only.
struct CpuPolicies {
    CpuSharePolicy share;
    CpuBlockPolicy add;
    CpuBlockPolicy rowscale;
    CpuEntropyMapPolicy entropy_map;
    CpuTopkPolicy topk;
    CpuQuantilePolicy quantile;
};

}  // namespace tegu::kernels
