// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const ReduceParams& params) {
    std::string words;
    for (const StatisticInfo& info : kStatisticInfos)
        if ((params.statistics & statistic_bit(info.statistic)) != 0)
            words += (words.empty() ? "" : "+") + std::string(info.word);
    JobTraits traits;
    traits.axes.emplace_back("statistics", params.statistics == kAllStatistics ? "all" : words);
    if (params.statistics == statistic_bit(Statistic::Sum)) traits.flops_per_element = 1;
    traits.block_field = "threads_per_block";
    traits.block_kernel = "reduce_float<f32, sum, dense";
    return traits;
}

std::vector<FieldJob> reduce_jobs() {
    std::vector<FieldJob> jobs;
    const ReduceParams sum = statistics(statistic_bit(Statistic::Sum)), all = statistics(kAllStatistics);
    add_types_and_sizes(jobs, {Type::U8, Type::I16, Type::I32, Type::F16, Type::F64}, Type::F32, sum, "sum",
                        {1000, 10000, 100000, 1000000, kHuge});
    jobs.front().crossover = true;
    for (const Statistic one : {Statistic::Max, Statistic::Argmax, Statistic::L2, Statistic::Std}) {
        const std::string word(kStatisticInfos[static_cast<std::size_t>(one)].word);
        jobs.push_back(sequence_job(Type::F32, kLarge, statistics(statistic_bit(one)), word, 1));
    }
    jobs.push_back(sequence_job(Type::I64, kLarge, statistics(statistic_bit(Statistic::Max)), "max", 2));
    for (const Type type : {Type::U8, Type::I32, Type::F32})
        jobs.push_back(sequence_job(type, kLarge, all, "all", type == Type::F32 ? 1 : 2));
    jobs.push_back(rows_job(Type::F32, kRows, kCols, sum, "sum", 1));
    return jobs;
}

}  // namespace tegu::field
