// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const QuantileParams& params) {
    JobTraits traits = detail_axis("quantiles", params.q.size());
    traits.block_field = "count_threads";
    traits.block_kernel = "quantile_counts<u32";
    return traits;
}

std::vector<FieldJob> quantile_jobs() {
    std::vector<FieldJob> jobs;
    QuantileParams middle, nine;
    middle.q = {0.5};
    for (int i = 1; i < 10; ++i) nine.q.push_back(i / 10.0);
    add_types_and_sizes(jobs, {Type::U8, Type::I32, Type::F16, Type::F64}, Type::F32, middle, "q=0.5",
                        {10000, 100000, 1000000, kHuge});
    jobs.front().crossover = true;
    jobs.push_back(sequence_job(Type::F32, kLarge, nine, "q=0.1..0.9", 1));
    jobs.push_back(rows_job(Type::F32, kRows, kCols, middle, "q=0.5", 1));
    return jobs;
}

}  // namespace tegu::field
