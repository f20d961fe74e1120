// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const HistogramParams& params) {
    JobTraits traits = detail_axis("bins", params.bins);
    traits.block_field = "threads_per_block";
    return traits;
}

std::vector<FieldJob> histogram_jobs() {
    std::vector<FieldJob> jobs;
    add_types_and_sizes(jobs, {}, Type::U8, bins(256, 256), "bins=256", {100000, 1000000, kHuge});
    jobs.front().crossover = true;
    jobs.push_back(sequence_job(Type::F32, kLarge, bins(256, 1), "bins=256 range", 1));
    jobs.push_back(sequence_job(Type::F32, kLarge, bins(256, 0), "bins=256", 2));
    jobs.push_back(sequence_job(Type::U16, kLarge, bins(65536, 65536), "bins=65536", 2));
    jobs.push_back(rows_job(Type::F32, kRows, kCols, bins(256, 1), "bins=256 range", 2));
    return jobs;
}

}  // namespace tegu::field
