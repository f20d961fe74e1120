// SPDX-License-Identifier: Apache-2.0
// fused: operations with one read of the data; their parts are in the other files.
#include "tools/bench/kernel_cases.h"
#include "tools/field/operations.h"

namespace tegu::bench {

void add_fused_cases(KernelBench& bench) {
    const ReduceParams some = field::statistics(
        statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Minmax) | statistic_bit(Statistic::Std));
    EntropyParams entropy;
    // The first part is a reduce; `statistics` are its words.
    const auto add = [&](ElementType type, std::uint64_t n, std::string statistics,
                         const FusedParams& params) {
        const Job job = sequence_job(type, n, params);
        std::string name = name_of(job) + "/" + std::move(statistics);
        for (std::size_t i = 1; i < params.parts.size(); ++i)
            name += "+" + std::string(info_of(operation_of(params.parts[i])).stem);
        bench.add_job(name, job);
    };
    const HistogramParams of_bytes = field::bins(256, 256);
    add(ElementType::U8, kHuge, "mean,minmax,std", FusedParams{{some, of_bytes, entropy}});
    add(ElementType::U8, kLarge, "all", FusedParams{{field::statistics(kAllStatistics), of_bytes, entropy}});
    entropy.has_range = true;
    entropy.hi = 1;
    add(ElementType::F32, kLarge, "mean,minmax,std", FusedParams{{some, field::bins(256, 1), entropy}});
    add(ElementType::F32, kLarge, "all", field::every_part());
}

}  // namespace tegu::bench
