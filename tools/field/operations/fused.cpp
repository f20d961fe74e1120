// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const FusedParams& params) {
    return detail_axis("parts", params.parts.size());
}

FusedParams every_part() {
    QuantileParams middle;
    middle.q = {0.5};
    EntropyParams entropy;
    entropy.has_range = true;
    entropy.hi = 1;
    return {{statistics(kAllStatistics), TopkParams{10, true, false}, middle, bins(256, 1), entropy}};
}

std::vector<FieldJob> fused_jobs() {
    std::vector<FieldJob> jobs;
    ReduceParams some = statistics(statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Minmax) |
                                   statistic_bit(Statistic::Std));
    jobs.push_back(
        sequence_job(Type::U8, kLarge, FusedParams{{some, bins(256, 256), EntropyParams()}}, "3 parts", 0));
    jobs.push_back(sequence_job(Type::F32, kLarge, every_part(), "5 parts", 1));
    return jobs;
}

}  // namespace tegu::field
