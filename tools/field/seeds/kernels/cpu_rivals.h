// SPDX-License-Identifier: Apache-2.0
// The plain loops on one thread that the authors of the seeds used for comparison.
#pragma once

#include <cstdint>
#include <vector>

namespace tegu::seeds {

// S1: one sorted list, searched for every value. out [k]: the largest distinct values, descending, then
// INT32_MIN.
void list_best_on_cpu(unsigned k, const std::int32_t* x, std::uint64_t n, std::int32_t* out);
// S1: a full sort of a copy, then its first k distinct values; the same result. `copy` keeps its memory from
// call to call.
void sorted_best_on_cpu(unsigned k, const std::int32_t* x, std::uint64_t n, std::vector<std::int32_t>& copy,
                        std::int32_t* out);
// S2.
void add_on_cpu(const float* x, const float* y, float* z, std::uint64_t n);
float sum_on_cpu(const float* x, std::uint64_t n);
std::int64_t sum_on_cpu(const std::int32_t* x, std::uint64_t n);
// S3: as launch_row_scale().
void row_scale_on_cpu(const float* x, float* values, std::uint64_t rows, std::uint64_t cols);

}  // namespace tegu::seeds
