// SPDX-License-Identifier: Apache-2.0
// The tuning of rowscale: its kernels' revision, the class of a job, the fields of its policies.
#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {
namespace {

using cuda::RowscalePolicy;

std::vector<PolicyField> cuda_fields() {
    constexpr auto kPart = &cuda::Policies::rowscale;
    return {field<kPart, &RowscalePolicy::threads_per_block>("threads_per_block", "threads of a block")
                .multiples(32, 32, 1024)
                .at_most(max_threads)
                .tries({64, 128, 256, 512, 1024}),
            field<kPart, &RowscalePolicy::packs_per_thread>(
                "packs_per_thread", "16-byte parts of a row that a thread holds, at most")
                .powers(1, 4)
                .tries({1, 2, 4}),
            field<kPart, &RowscalePolicy::waves>("waves",
                                                 "blocks launched, in multiples of those resident at once")
                .range(1, 4096)
                .tries({1, 2, 4, 8, 32, 128}),
            launch_bytes(field<kPart, &RowscalePolicy::launch_bytes>(
                "launch_bytes", "bytes that one launch moves for each multiprocessor"))};
}

std::vector<PolicyField> cpu_fields() {
    return {block_bytes()};
}

}  // namespace

OperationTuning rowscale_tuning() {
    return {1, 1, cpu_fields(), cuda_fields()};
}

void describe(const RowscaleParams& params, JobClass* to) {
    to->variants = skip_bit(params.skip_nans);
}

}  // namespace tegu::tuning
