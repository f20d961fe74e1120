// SPDX-License-Identifier: Apache-2.0
// The tuning of add: its kernels' revision, the class of a job, the fields of its policies.
#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {
namespace {

using cuda::AddPolicy;

std::vector<PolicyField> cuda_fields() {
    constexpr auto kPart = &cuda::Policies::add;
    return {
        field<kPart, &AddPolicy::threads_per_block>("threads_per_block", "threads of a block")
            .multiples(32, 32, 1024)
            .at_most(max_threads)
            .tries({128, 256, 512, 1024}),
        field<kPart, &AddPolicy::packs_per_thread>("packs_per_thread",
                                                   "16-byte loads of each input in flight")
            .powers(1, 4)
            .tries({1, 2, 4}),
        field<kPart, &AddPolicy::waves>("waves", "blocks launched, in multiples of those resident at once")
            .range(1, 4096)
            .tries({1, 2, 4, 8, 32, 1000}),
        launch_bytes(field<kPart, &AddPolicy::launch_bytes>(
            "launch_bytes", "bytes that one launch moves for each multiprocessor"))};
}

std::vector<PolicyField> cpu_fields() {
    return {block_bytes()};
}

}  // namespace

OperationTuning add_tuning() {
    return {1, 1, cpu_fields(), cuda_fields()};
}

void describe(const AddParams&, JobClass*) {}

}  // namespace tegu::tuning
