// SPDX-License-Identifier: Apache-2.0
// How the CPU backend runs one job: plain numbers with the defaults that hold where nothing was tuned. A
// policy changes how fast a result comes and how much working memory it takes, never a bit of it.
#pragma once

#include <cstdint>

namespace tegu::kernels {

// Who works on a job. For every operation.
struct CpuSharePolicy {
    unsigned threads = 0;  // that share the job at most, the caller included; 0: all of the pool
    // Predicted work on one thread from which the job is shared; 0: the operation's own number.
    std::uint64_t share_ns = 0;
};

// add and rowscale.
struct CpuBlockPolicy {
    // that a thread takes at a time, a multiple of 4096; 0: the operation's own number
    std::uint64_t block_bytes = 0;
};

enum class CpuEntropyMethod : std::uint8_t { Chosen, Slide, Planes, Columns, Prefix };
struct CpuEntropyMapPolicy {
    // A method that cannot compute the map gives way to the chosen one.
    CpuEntropyMethod method = CpuEntropyMethod::Chosen;
    std::uint32_t tile_rows = 0;  // results that a thread takes at a time; 0: 64
    std::uint32_t tile_cols = 0;  // 0: by method
};

enum class CpuTopkMethod : std::uint8_t { Chosen, Direct, Blocks, Threshold, Buckets };
struct CpuTopkPolicy {
    // Not for `distinct`. A method that cannot answer the problem gives way to the chosen one.
    CpuTopkMethod method = CpuTopkMethod::Chosen;
};

enum class CpuQuantileMethod : std::uint8_t { Chosen, Counts, Direct, Brackets, Sort };
struct CpuQuantilePolicy {
    CpuQuantileMethod method = CpuQuantileMethod::Chosen;  // likewise
};

// Of one job; an operation looks at its own part alone.
struct CpuPolicies {
    CpuSharePolicy share;
    CpuBlockPolicy add;
    CpuBlockPolicy rowscale;
    CpuEntropyMapPolicy entropy_map;
    CpuTopkPolicy topk;
    CpuQuantilePolicy quantile;
};

}  // namespace tegu::kernels
