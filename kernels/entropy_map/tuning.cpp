// SPDX-License-Identifier: Apache-2.0
// The tuning of entropy_map: its kernels' revision, the class of a job, the fields of its policies.
#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {
namespace {

using cuda::EntropyMapPolicy;
using kernels::CpuEntropyMapPolicy;

std::vector<PolicyField> cuda_fields() {
    constexpr auto kPart = &cuda::Policies::entropy_map;
    return {field<kPart, &EntropyMapPolicy::method>(
                "method", "how windows are counted; unsuitable methods are replaced by the automatic choice")
                .choices({"chosen", "slide", "pairs", "columns", "quads"}),
            field<kPart, &EntropyMapPolicy::threads_per_block>("threads_per_block", "threads of a block")
                .multiples(32, 32, 512)
                .tries({32, 64, 128, 256, 512}),
            field<kPart, &EntropyMapPolicy::rows_per_strip>(
                "rows_per_strip", "results that a thread computes down a column; 0: by image and device")
                .range(8, 4096)
                .or_zero()
                .tries({0, 16, 32, 64, 128, 256, 512}),
            field<kPart, &EntropyMapPolicy::columns_per_thread>(
                "columns_per_thread", "of the method slide; 0: by levels and shared memory")
                .range(1, 1)
                .or_zero()
                .tries({0, 1}),
            field<kPart, &EntropyMapPolicy::piece_pixels>("piece_pixels",
                                                          "results of one launch; 0: by method and device")
                .range(4 * kKiB, std::int64_t{1} << 29)
                .or_zero()};
}

std::vector<PolicyField> cpu_fields() {
    constexpr auto kPart = &kernels::CpuPolicies::entropy_map;
    return {field<kPart, &CpuEntropyMapPolicy::method>(
                "method", "how windows are counted; unsuitable methods are replaced by the automatic choice")
                .choices(kernels::kCpuEntropyMethods),
            field<kPart, &CpuEntropyMapPolicy::tile_rows>(
                "tile_rows", "rows of results that a thread takes at a time; 0: 64")
                .range(8, 512)
                .or_zero()
                .tries({0, 16, 32, 128, 256}),
            field<kPart, &CpuEntropyMapPolicy::tile_cols>(
                "tile_cols", "columns of results that a thread takes at a time; 0: by method")
                .multiples(64, 64, 4096)
                .or_zero()
                .tries({0, 128, 256, 512, 1024, 2048})};
}

}  // namespace

OperationTuning entropy_map_tuning() {
    return {1, 1, cpu_fields(), cuda_fields()};
}

void describe(const EntropyMapParams& params, JobClass* to) {
    to->variants = params.border == Border::Mirror ? kMirror : 0u;
    to->detail = std::uint64_t{params.window_rows} * params.window_cols;
    to->levels = params.levels;
}

}  // namespace tegu::tuning
