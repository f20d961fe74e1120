// SPDX-License-Identifier: Apache-2.0
// The tuning description of an operation: kernels/<stem>/tuning.cpp. Rows measured with another revision are
// ignored. Raise a revision when other policies become the best, or when the meaning of a policy's field
// changes.
#pragma once

#include "kernels/tuning/field_builder.h"
#include "kernels/tuning/job_class.h"

namespace tegu::tuning {

struct OperationTuning {
    unsigned cpu_revision, cuda_revision;
    std::vector<PolicyField> cpu;   // beside those of CpuSharePolicy, which every operation has
    std::vector<PolicyField> cuda;  // empty: no policy of its own
    // Checks the conditions of a GPU policy that involve several fields; null: none.
    Result<void> (*check_cuda)(const cuda::Policies& policies) = nullptr;
};

#define TEGU_X(number, Name, stem, inputs, sentence) \
    OperationTuning stem##_tuning();                 \
    void describe(const Name##Params& params, JobClass* to); /* fills in variants, detail, levels */
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

// Built once; static storage. Any thread.
const OperationTuning& tuning_of(Operation operation);

inline unsigned skip_bit(bool skip_nans) {
    return skip_nans ? static_cast<unsigned>(kSkipNans) : 0u;
}

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB;

// Before compute capability 7.0 a block can use half of a multiprocessor's registers.
std::int64_t max_threads(const cuda::DeviceLimits& limits);
std::int64_t max_pass_threads(const cuda::DeviceLimits& limits);
std::int64_t max_shared_bytes(const cuda::DeviceLimits& limits);
// The largest power of two of items that fit the shared memory of a block beside `fixed` bytes.
std::int64_t items_in_shared(const cuda::DeviceLimits& limits, std::size_t item_bytes, std::size_t fixed);

// Numbers that only bound a launch's length have no candidates: tuning them gains nothing.
FieldBuilder launch_bytes(FieldBuilder of);

// The policies of launches that several operations share.
std::vector<PolicyField> reduce_fields();
std::vector<PolicyField> count_fields();
PolicyField block_bytes();

}  // namespace tegu::tuning
