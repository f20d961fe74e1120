// SPDX-License-Identifier: Apache-2.0
// The fields of the policies of the CPU backend. Every operation, fused too, says who shares the work.
#include <utility>

#include "base/job.h"
#include "kernels/tuning/field_builder.h"

namespace tegu::tuning {
namespace {

using kernels::CpuBlockPolicy;
using kernels::CpuEntropyMapPolicy;
using kernels::CpuPolicies;
using kernels::CpuQuantilePolicy;
using kernels::CpuSharePolicy;
using kernels::CpuTopkPolicy;
using Fields = std::vector<PolicyField>;

constexpr std::int64_t kKiB = 1024;

template <auto Part>
PolicyField block_bytes() {
    return field<Part, &CpuBlockPolicy::block_bytes>(
               "block_bytes", "bytes of the output that a thread takes at a time; 0: the operation's own")
        .multiples(4 * kKiB, 4 * kKiB, 4096 * kKiB)
        .or_zero()
        .tries({0, 32 * kKiB, 64 * kKiB, 256 * kKiB, 512 * kKiB, 1024 * kKiB});
}

Fields share_fields() {
    constexpr auto kPart = &CpuPolicies::share;
    return {field<kPart, &CpuSharePolicy::threads>("threads",
                                                   "threads that share a job, at most; 0: all of the pool")
                .range(1, 1024)
                .or_zero()
                .tries({0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64}),
            field<kPart, &CpuSharePolicy::share_ns>("share_ns",
                                                    "predicted time on one thread, in nanoseconds, from "
                                                    "which a job is shared; 0: the operation's own")
                .range(1, 1000000000)
                .or_zero()
                .tries({0, 1, 5000, 10000, 20000, 50000, 100000, 200000})};
}

void add_own_fields(std::string_view operation, Fields* fields) {
    if (operation == "add") fields->push_back(block_bytes<&CpuPolicies::add>());
    if (operation == "rowscale") fields->push_back(block_bytes<&CpuPolicies::rowscale>());
    if (operation == "entropy_map") {
        constexpr auto kPart = &CpuPolicies::entropy_map;
        fields->push_back(
            field<kPart, &CpuEntropyMapPolicy::method>(
                "method", "how windows are counted; unsuitable methods are replaced by the automatic choice")
                .choices({"chosen", "slide", "planes", "columns", "prefix"}));
        fields->push_back(field<kPart, &CpuEntropyMapPolicy::tile_rows>(
                              "tile_rows", "rows of results that a thread takes at a time; 0: 64")
                              .range(8, 512)
                              .or_zero()
                              .tries({0, 16, 32, 128, 256}));
        fields->push_back(field<kPart, &CpuEntropyMapPolicy::tile_cols>(
                              "tile_cols", "columns of results that a thread takes at a time; 0: by method")
                              .multiples(64, 64, 4096)
                              .or_zero()
                              .tries({0, 128, 256, 512, 1024, 2048}));
    }
    if (operation == "topk")
        fields->push_back(
            field<&CpuPolicies::topk, &CpuTopkPolicy::method>(
                "method", "how the best are found; unsuitable methods are replaced by the automatic choice")
                .choices({"chosen", "direct", "blocks", "threshold", "buckets"}));
    if (operation == "quantile")
        fields->push_back(
            field<&CpuPolicies::quantile, &CpuQuantilePolicy::method>(
                "method", "how quantiles are found; unsuitable methods are replaced by the automatic choice")
                .choices({"chosen", "counts", "direct", "brackets", "sort"}));
}

std::vector<std::pair<std::string_view, Fields>> all_fields() {
    std::vector<std::pair<std::string_view, Fields>> all;
    for (const OperationInfo& info : operation_infos()) {
        all.emplace_back(info.stem, share_fields());
        add_own_fields(info.stem, &all.back().second);
    }
    return all;
}

}  // namespace

const Fields& cpu_policy_fields(std::string_view operation) {
    static const Fields none;
    static const auto all = all_fields();
    for (const auto& entry : all)
        if (entry.first == operation) return entry.second;
    return none;
}

}  // namespace tegu::tuning
