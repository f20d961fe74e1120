// SPDX-License-Identifier: Apache-2.0
// fused: operations with one read of the data; their parts are in the other files.
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {

void add_fused_cases(KernelBench& bench) {
    ReduceParams some, all;
    some.statistics =
        statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Minmax) | statistic_bit(Statistic::Std);
    all.statistics = kAllStatistics;
    HistogramParams histogram;
    histogram.bins = 256;
    histogram.has_range = true;
    EntropyParams entropy;
    const auto add = [&](ElementType type, std::uint64_t n, const char* what, const FusedParams& parts) {
        const Job job = sequence_job(type, n, parts);
        bench.add_job(name_of(job) + "/" + what, job);
    };
    histogram.hi = 256;
    add(ElementType::U8, kHuge, "mean,minmax,std+histogram+entropy", FusedParams{{some, histogram, entropy}});
    add(ElementType::U8, kLarge, "all+histogram+entropy", FusedParams{{all, histogram, entropy}});
    histogram.hi = entropy.hi = 1;
    entropy.has_range = true;
    add(ElementType::F32, kLarge, "mean,minmax,std+histogram+entropy",
        FusedParams{{some, histogram, entropy}});
    QuantileParams median;
    median.q = {0.5};
    add(ElementType::F32, kLarge, "all+topk+quantile+histogram+entropy",
        FusedParams{{all, TopkParams{10, true, false}, median, histogram, entropy}});
}

}  // namespace tegu::bench
