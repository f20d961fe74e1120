// SPDX-License-Identifier: Apache-2.0
// The tuning of quantile: its kernels' revision, the class of a job, the fields of its policies.
#include <algorithm>

#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {
namespace {

using cuda::QuantilePolicy;

std::int64_t max_quantile_capacity(const cuda::DeviceLimits& limits) {
    return items_in_shared(limits, 1, kKiB);
}

std::int64_t max_shared_bins(const cuda::DeviceLimits& limits) {
    return std::max<std::int64_t>(2048, max_shared_bytes(limits) / 4 / 2048 * 2048);
}

std::vector<PolicyField> cuda_fields() {
    constexpr auto kPart = &cuda::Policies::quantile;
    return {
        field<kPart, &QuantilePolicy::block_threads>("block_threads",
                                                     "threads of a block that sorts or narrows")
            .multiples(32, 32, 1024)
            .at_most(max_threads)
            .tries({128, 256, 512, 1024}),
        field<kPart, &QuantilePolicy::capacity>("room",
                                                "elements that a block sorts in shared memory, at most")
            .powers(64, 65536)
            .at_most(max_quantile_capacity)
            .tries({1024, 2048, 4096, 8192, 16384, 32768}),
        field<kPart, &QuantilePolicy::count_threads>("count_threads", "threads of a block that counts")
            .multiples(32, 32, 1024)
            .at_most(max_threads)
            .tries({128, 256, 512, 1024}),
        field<kPart, &QuantilePolicy::waves>("waves",
                                             "blocks that count, in multiples of those resident at once")
            .range(1, 64)
            .tries({1, 2, 4}),
        field<kPart, &QuantilePolicy::shared_bins>("shared_bins", "bins that a block counts in shared memory")
            .multiples(2048, 2048, 65536)
            .at_most(max_shared_bins)
            .tries({2048, 4096, 8192, 16384, 32768}),
        field<kPart, &QuantilePolicy::warp_elements>("warp_elements", "longest segment that a warp sorts")
            .range(0, 256)
            .tries({0, 32, 64, 128, 256}),
        field<kPart, &QuantilePolicy::windows>("windows", "quantiles that a block finds by narrowing")
            .range(0, 1024)
            .tries({0, 1, 2, 4, 8, 16, 32}),
        field<kPart, &QuantilePolicy::window_elements>("window_elements",
                                                       "segment length above which a block narrows")
            .range(256, std::int64_t{1} << 32)
            .tries({256, 512, 1024, 2048, 4096, 8192}),
        field<kPart, &QuantilePolicy::bracket_elements>("bracket_elements",
                                                        "shortest segment for the search between two cuts")
            .range(4096, std::int64_t{1} << 40)
            .tries({1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 20}),
        field<&cuda::Policies::selection, &cuda::SelectionPolicy::sample>(
            "sample", "elements of the sample that sets the two cuts")
            .range(1024, 16384)
            .tries({2048, 4096, 8192, 12288}),
        field<kPart, &QuantilePolicy::piece_elements>("piece_elements",
                                                      "elements that a multiprocessor counts in one launch")
            .range(64 * kKiB, 64 * kMiB)};
}

std::vector<PolicyField> cpu_fields() {
    return {field<&kernels::CpuPolicies::quantile, &kernels::CpuQuantilePolicy::method>(
                "method", "how quantiles are found; unsuitable methods are replaced by the automatic choice")
                .choices(kernels::kCpuQuantileMethods)};
}

}  // namespace

OperationTuning quantile_tuning() {
    return {1, 1, cpu_fields(), cuda_fields()};
}

void describe(const QuantileParams& params, JobClass* to) {
    to->variants = skip_bit(params.skip_nans);
    to->detail = params.q.size();
}

}  // namespace tegu::tuning
