// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const AddParams&) {
    JobTraits traits;
    traits.flops_per_element = 1;
    traits.values = Values::Small;
    traits.block_field = "threads_per_block";
    traits.block_kernel = "add_packs<f32, 2";
    return traits;
}

std::vector<FieldJob> add_jobs() {
    std::vector<FieldJob> jobs;
    add_types_and_sizes(jobs, {Type::U8, Type::I32, Type::F16, Type::F64}, Type::F32, AddParams(), "",
                        {10000, 100000, 1000000, kHuge});
    jobs.front().crossover = true;
    return jobs;
}

}  // namespace tegu::field
