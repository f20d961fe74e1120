// SPDX-License-Identifier: Apache-2.0
// Seed S4 on the CPU: the versions v10 to v13 of the same map, by bands of rows over the threads of a pool.
#pragma once

#include <cstdint>

// X(Name, word, description)
#define TEGU_CPU_WINDOW_VERSIONS(X)                        \
    X(Plain, "v10", "plain: a logarithm per level")        \
    X(Table, "v11", "log table")                           \
    X(Mixed, "v12", "8-bit counters, f32 table, f64 sums") \
    X(Prefix, "v13", "prefix sums of one plane per level, in tiles")

namespace tegu::kernels {
class ThreadPool;
}

namespace tegu::seeds {

enum class CpuWindowVersion : std::uint8_t {
#define TEGU_X(Name, word, title) Name,
    TEGU_CPU_WINDOW_VERSIONS(TEGU_X)
#undef TEGU_X
};

// values [rows, cols] of x [rows, cols], both dense; x holds whole numbers 0..15. Blocking. v13 allocates a
// few MB per thread (std::bad_alloc).
void window_entropy_on_cpu(CpuWindowVersion version, const float* x, std::uint32_t rows, std::uint32_t cols,
                           float* values, kernels::ThreadPool& pool);

}  // namespace tegu::seeds
