// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const DotParams&) {
    JobTraits traits;
    traits.flops_per_element = 2;
    return traits;
}

std::vector<FieldJob> dot_jobs() {
    std::vector<FieldJob> jobs;
    add_types_and_sizes(jobs, {Type::U8, Type::I16, Type::F16, Type::F64}, Type::F32, DotParams(), "",
                        {100000, 1000000});
    jobs.push_back(rows_job(Type::F32, kRows, kCols, DotParams(), "", 1));
    return jobs;
}

}  // namespace tegu::field
