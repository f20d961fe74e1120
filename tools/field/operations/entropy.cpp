// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const EntropyParams& params) {
    return detail_axis("levels", params.levels);
}

std::vector<FieldJob> entropy_jobs() {
    std::vector<FieldJob> jobs;
    EntropyParams params, sixteen;
    sixteen.levels = 16;
    sixteen.has_range = true;
    sixteen.hi = 1;
    add_types_and_sizes(jobs, {Type::I32, Type::F32}, Type::U8, params, "levels=256",
                        {100000, 1000000, kHuge});
    jobs.push_back(rows_job(Type::F32, kRows, kCols, sixteen, "levels=16 range", 1));
    params.levels = 65536;
    jobs.push_back(sequence_job(Type::U16, kLarge, params, "levels=65536", 2));
    return jobs;
}

}  // namespace tegu::field
