// SPDX-License-Identifier: Apache-2.0
// The ranges follow from the launches: a block size beyond a kernel's bound fails, zero waves mean zero
// blocks.
#include "kernels/tuning/operation_tuning.h"

#include "kernels/tuning/revisions.h"

namespace tegu::tuning {
namespace {

using cuda::CountPolicy;
using cuda::Policies;
using cuda::ReducePolicy;
using kernels::CpuPolicies;
using kernels::CpuSharePolicy;

std::vector<PolicyField> share_fields() {
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

// All operations, indexed by number.
std::vector<OperationTuning> all_tunings() {
    std::vector<OperationTuning> all(kOperationSlots);
#define TEGU_X(number, Name, stem, inputs, sentence) all[number] = stem##_tuning();
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    for (OperationTuning& one : all) {
        std::vector<PolicyField> fields = share_fields();
        fields.insert(fields.end(), one.cpu.begin(), one.cpu.end());
        one.cpu = std::move(fields);
    }
    return all;
}

}  // namespace

const OperationTuning& tuning_of(Operation operation) {
    static const std::vector<OperationTuning> all = all_tunings();
    return all[static_cast<std::size_t>(operation)];
}

unsigned revision_of(TuningBackend backend, Operation operation) {
    const OperationTuning& tuning = tuning_of(operation);
    return backend == TuningBackend::Cuda ? tuning.cuda_revision : tuning.cpu_revision;
}

std::int64_t max_threads(const cuda::DeviceLimits& limits) {
    return limits.max_threads(1024);
}

std::int64_t max_pass_threads(const cuda::DeviceLimits& limits) {
    return limits.max_threads(512);
}

std::int64_t max_shared_bytes(const cuda::DeviceLimits& limits) {
    return static_cast<std::int64_t>(limits.shared_bytes_per_block);
}

std::int64_t items_in_shared(const cuda::DeviceLimits& limits, std::size_t item_bytes, std::size_t fixed) {
    std::int64_t items = 32;
    while (2 * static_cast<std::size_t>(items) * item_bytes + fixed <= limits.shared_bytes_per_block)
        items *= 2;
    return items;
}

FieldBuilder launch_bytes(FieldBuilder of) {
    return of.multiples(4 * kKiB, 64 * kKiB, 256 * kMiB);
}

PolicyField block_bytes() {
    return field<&CpuPolicies::block, &kernels::CpuBlockPolicy::block_bytes>(
               "block_bytes", "bytes of the output that a thread takes at a time; 0: the operation's own")
        .multiples(4 * kKiB, 4 * kKiB, 4096 * kKiB)
        .or_zero()
        .tries({0, 32 * kKiB, 64 * kKiB, 256 * kKiB, 512 * kKiB, 1024 * kKiB});
}

std::vector<PolicyField> reduce_fields() {
    constexpr auto kPart = &Policies::reduce;
    return {field<kPart, &ReducePolicy::threads_per_block>("threads_per_block", "threads of a block")
                .powers(32, 512)
                .at_most(max_pass_threads)
                .tries({64, 128, 256, 512}),
            field<kPart, &ReducePolicy::tiles_per_warp>("tiles_per_warp",
                                                        "tiles that a warp takes one after the other")
                .powers(1, 16)
                .tries({1, 2, 4, 8, 16}),
            field<kPart, &ReducePolicy::waves>(
                "waves", "blocks over short rows, in multiples of those resident at once")
                .range(1, 64)
                .tries({1, 2, 4, 8}),
            launch_bytes(field<kPart, &ReducePolicy::launch_bytes>(
                "launch_bytes", "bytes that one launch reads for each multiprocessor"))};
}

std::vector<PolicyField> count_fields() {
    constexpr auto kPart = &Policies::count;
    return {
        field<kPart, &CountPolicy::threads_per_block>("threads_per_block", "threads of a block")
            .multiples(32, 32, 512)
            .tries({128, 256, 512}),
        field<kPart, &CountPolicy::copies>("copies", "copies of the counters of a block")
            .range(1, 16)
            .tries({1, 2, 4, 8, 16}),
        field<kPart, &CountPolicy::waves>("waves", "blocks launched, in multiples of those resident at once")
            .range(1, 64)
            .tries({1, 2, 4}),
        field<kPart, &CountPolicy::shared_bytes>("shared_bytes",
                                                 "shared memory of a block for counters, at most")
            .multiples(kKiB, 4 * kKiB, 256 * kKiB)
            .at_most(max_shared_bytes)
            .tries({24 * kKiB, 48 * kKiB, 96 * kKiB, 200 * kKiB}),
        field<kPart, &CountPolicy::lane_elements>(
            "lane_elements", "elements of a segment from which lanes have counters of their own; 0: always")
            .powers(4 * kKiB, std::int64_t{1} << 62)
            .or_zero()
            .tries({0, 1 << 16, 1 << 18, 1 << 20, std::int64_t{1} << 62}),
        launch_bytes(field<kPart, &CountPolicy::launch_bytes>(
            "launch_bytes", "bytes that one launch reads for each multiprocessor")),
        field<kPart, &CountPolicy::batch_bytes>("batch_bytes", "work space of a batch of many segments")
            .multiples(4 * kKiB, kMiB, 256 * kMiB)};
}

}  // namespace tegu::tuning
