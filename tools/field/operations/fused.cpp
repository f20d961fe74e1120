// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const FusedParams& params) {
    return detail_axis("parts", params.parts.size());
}

std::vector<FieldJob> fused_jobs() {
    std::vector<FieldJob> jobs;
    ReduceParams some = statistics(statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Minmax) |
                                   statistic_bit(Statistic::Std));
    EntropyParams entropy;
    jobs.push_back(
        sequence_job(Type::U8, kLarge, FusedParams{{some, bins(256, 256), entropy}}, "3 parts", 0));
    QuantileParams middle;
    middle.q = {0.5};
    entropy.has_range = true;
    entropy.hi = 1;
    const FusedParams five{
        {statistics(kAllStatistics), TopkParams{10, true, false}, middle, bins(256, 1), entropy}};
    jobs.push_back(sequence_job(Type::F32, kLarge, five, "5 parts", 1));
    return jobs;
}

}  // namespace tegu::field
