// SPDX-License-Identifier: Apache-2.0
// The cases of each operation of base/job.h; operations/<stem>.cpp adds those of one. Axes are lists of
// values, and a case is one combination. Names have the form "operation/type/n=.../axis=value/...".
#pragma once

#include <string>

#include "tools/bench/kernel_bench.h"

namespace tegu::bench {

#define TEGU_X(number, Name, stem, inputs, sentence) void add_##stem##_cases(KernelBench& bench);
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

// A job on one segment of n elements, and on each row of a rows x cols array.
Job sequence_job(ElementType type, std::uint64_t n, const JobParams& params);
Job rows_job(ElementType type, std::uint64_t rows, std::uint64_t cols, const JobParams& params);

// "add/i32/n=1000" and "dot/f32/rows=55296/cols=128".
std::string name_of(const Job& job);

constexpr std::uint64_t kLarge = 10000000;  // elements: beyond the caches
constexpr std::uint64_t kHuge = 100000000;
constexpr std::uint64_t kRows = 55296, kCols = 128;  // many short rows

}  // namespace tegu::bench
