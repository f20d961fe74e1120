// SPDX-License-Identifier: Apache-2.0
// The jobs of each operation in a field run: operations/<stem>.cpp.
#pragma once

#include <initializer_list>

#include "tools/field/jobs.h"

namespace tegu::field {

inline constexpr std::uint64_t kLarge = 10000000;  // elements: beyond the caches of boards
inline constexpr std::uint64_t kHuge = 100000000;
inline constexpr std::uint64_t kRows = 55296, kCols = 128;  // many short rows, as S3 has them

// Properties of the jobs with some parameters.
struct JobTraits {
    Axes axes;                     // of the parameters
    double flops_per_element = 0;  // 0: not plain to count
    Values values = Values::Uniform;
    // The field of its GPU policy that is a block size, and the beginning of the name of that kernel. Null:
    // there is none; the kernel depends on the board.
    const char* block_field = nullptr;
    const char* block_kernel = nullptr;
};
inline JobTraits detail_axis(const char* name, std::uint64_t value) {
    JobTraits traits;
    traits.axes.emplace_back(name, static_cast<std::int64_t>(value));
    return traits;
}

// The first job is the one that a short run measures.
#define TEGU_X(number, Name, stem, inputs, sentence) \
    std::vector<FieldJob> stem##_jobs();             \
    JobTraits traits_of(const Name##Params& params);
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

// `shape` and `detail` are parts of the name.
FieldJob described(Job job, const std::string& shape, const std::string& detail, int priority);
// "5x5": a shape of a square image.
std::string image_text(std::uint64_t side);
// One size of many types, and one type of many sizes.
void add_types_and_sizes(std::vector<FieldJob>& jobs, std::initializer_list<ElementType> types,
                         ElementType main, const JobParams& params, const std::string& detail,
                         std::initializer_list<std::uint64_t> sizes);

ReduceParams statistics(StatisticSet set);
// From 0 to hi; 0: no range.
HistogramParams bins(std::uint32_t count, double hi);
// All parts that a fused job can have, for floats in [0, 1).
FusedParams every_part();

}  // namespace tegu::field
