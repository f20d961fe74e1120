// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const TopkParams& params) {
    JobTraits traits = detail_axis("k", params.k);
    if (params.distinct) traits.axes.emplace_back("variant", std::string("distinct"));
    traits.block_field = "filter_threads";
    traits.block_kernel = "filter_packs<u32, integer";
    return traits;
}

std::vector<FieldJob> topk_jobs() {
    std::vector<FieldJob> jobs;
    add_types_and_sizes(jobs, {Type::U8, Type::F16, Type::F32, Type::F64}, Type::I32,
                        TopkParams{10, true, false}, "k=10", {10000, 100000, 1000000, kHuge});
    jobs.front().crossover = true;
    for (const std::uint64_t k : {100u, 1000u, 10000u, 65536u})
        jobs.push_back(
            sequence_job(Type::I32, kLarge, TopkParams{k, true, false}, "k=" + std::to_string(k), 1));
    for (const std::uint64_t k : {10u, 384u})
        jobs.push_back(sequence_job(Type::I32, kLarge, TopkParams{k, true, true},
                                    "k=" + std::to_string(k) + " distinct", 1));
    jobs.push_back(rows_job(Type::F32, kRows, kCols, TopkParams{10, true, false}, "k=10", 1));
    return jobs;
}

}  // namespace tegu::field
