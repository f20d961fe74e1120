// SPDX-License-Identifier: Apache-2.0
// The tuning of topk: its kernels' revision, the class of a job, the fields of its policies.
#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {
namespace {

using cuda::SelectionPolicy;

std::int64_t max_topk_capacity(const cuda::DeviceLimits& limits) {
    return items_in_shared(limits, sizeof(std::uint64_t) + 1, 10 * kKiB);
}

std::vector<PolicyField> cuda_fields() {
    constexpr auto kPart = &cuda::Policies::selection;
    return {
        field<kPart, &SelectionPolicy::block_threads>("block_threads",
                                                      "threads of a block that selects and sorts")
            .multiples(32, 64, 1024)
            .at_most(max_threads)
            .tries({128, 256, 512, 1024}),
        field<kPart, &SelectionPolicy::capacity>("room", "pairs that a block sorts in shared memory, at most")
            .powers(64, 32768)
            .at_most(max_topk_capacity)
            .tries({1024, 2048, 4096, 8192, 16384}),
        field<kPart, &SelectionPolicy::sample>("sample",
                                               "pairs of the sample that sets the cut; at most 12 times "
                                               "block_threads (8-byte elements: 8 times)")
            .range(1024, 16384)
            .tries({2048, 4096, 8192, 12288}),
        field<kPart, &SelectionPolicy::block_elements>("block_elements",
                                                       "longest segment that a block selects from")
            .range(0, 1 << 20)
            .tries({4096, 8192, 16384, 32768, 65536, 131072}),
        field<kPart, &SelectionPolicy::filter_threads>("filter_threads",
                                                       "threads of a block that passes over elements")
            .multiples(32, 32, 512)
            .at_most(max_pass_threads)
            .tries({128, 256, 512}),
        field<kPart, &SelectionPolicy::waves>("waves",
                                              "blocks of such passes, in multiples of those resident at once")
            .range(1, 64)
            .tries({1, 2, 4}),
        field<kPart, &SelectionPolicy::sort_tile>("sort_tile",
                                                  "pairs that a block of the sort takes at a time, at most")
            .multiples(256, 1024, 8192)
            .tries({1024, 2048, 4096, 8192}),
        field<kPart, &SelectionPolicy::slice>("slice", "results that a block sorts")
            .range(16, 8192)
            .tries({32, 64, 128, 256, 512}),
        field<kPart, &SelectionPolicy::warp_results>("warp_results",
                                                     "results that a warp takes of a short segment, at most")
            .range(0, 256)
            .tries({0, 16, 32, 48, 64, 96, 128}),
        field<kPart, &SelectionPolicy::piece_pairs>(
            "piece_pairs", "pairs that a multiprocessor counts or moves in one launch")
            .range(64 * kKiB, 64 * kMiB)};
}

std::vector<PolicyField> cpu_fields() {
    return {
        field<&kernels::CpuPolicies::topk, &kernels::CpuTopkPolicy::method>(
            "method", "how the best are found; unsuitable methods are replaced by the automatic choice")
            .choices({kernels::kCpuTopkMethods, static_cast<std::size_t>(kernels::CpuTopkMethod::Distinct)})};
}

// Checks the conditions that involve several fields.
Result<void> check_cuda(const cuda::Policies& policies) {
    const cuda::SelectionPolicy& topk = policies.selection;
    if (topk.slice <= topk.capacity) return {};
    return bad_range("policy.slice", "room (" + std::to_string(topk.capacity) + ") at most",
                     "slice is " + std::to_string(topk.slice));
}

}  // namespace

OperationTuning topk_tuning() {
    return {1, 1, cpu_fields(), cuda_fields(), check_cuda};
}

void describe(const TopkParams& params, JobClass* to) {
    to->variants = params.distinct ? kDistinct : 0u;
    to->detail = params.k;
}

}  // namespace tegu::tuning
