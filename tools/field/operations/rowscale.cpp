// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const RowscaleParams&) {
    JobTraits traits;
    traits.flops_per_element = 2;  // a comparison and a division
    traits.block_field = "threads_per_block";
    traits.block_kernel = "rowscale_groups<f32, 4, 1";
    return traits;
}

std::vector<FieldJob> rowscale_jobs() {
    std::vector<FieldJob> jobs;
    jobs.push_back(rows_job(Type::F32, kRows, kCols, RowscaleParams(), "", 0));
    jobs.push_back(rows_job(Type::F32, 8 * kRows, kCols, RowscaleParams(), "", 1));  // that of S3
    for (const std::uint64_t cols : {32u, 1024u, 8192u})
        jobs.push_back(rows_job(Type::F32, kRows * kCols / cols, cols, RowscaleParams(), "", 1));
    for (const Type type : {Type::F16, Type::F64})
        jobs.push_back(rows_job(type, kRows, kCols, RowscaleParams(), "", 2));
    jobs.push_back(sequence_job(Type::F32, kLarge, RowscaleParams(), "", 2));
    return jobs;
}

}  // namespace tegu::field
