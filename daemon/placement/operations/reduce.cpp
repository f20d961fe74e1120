// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "daemon/placement/operations.h"

namespace tegu::daemon {
namespace {

// A set of `count` statistics, the usual ones first.
StatisticSet statistics_of(std::uint64_t count) {
    constexpr Statistic kOrder[] = {
        Statistic::Sum,    Statistic::Min,    Statistic::Max,     Statistic::Mean, Statistic::Var,
        Statistic::Absmax, Statistic::L2,     Statistic::Std,     Statistic::L1,   Statistic::Minmax,
        Statistic::Argmin, Statistic::Argmax, Statistic::Nonzero, Statistic::Nans};
    StatisticSet set = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(std::max<std::uint64_t>(count, 1), std::size(kOrder));
         ++i)
        set |= statistic_bit(kOrder[i]);
    return set;
}

// Statistics that share their work, as in kernels/statistics/finish.cpp: sums, extremes, sums of magnitudes,
// moments, counts.
unsigned needs_of(StatisticSet set) {
    constexpr StatisticSet kGroups[] = {
        statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Mean),
        statistic_bit(Statistic::Min) | statistic_bit(Statistic::Max) | statistic_bit(Statistic::Minmax) |
            statistic_bit(Statistic::Argmin) | statistic_bit(Statistic::Argmax) |
            statistic_bit(Statistic::Absmax),
        statistic_bit(Statistic::L1),
        statistic_bit(Statistic::Var) | statistic_bit(Statistic::Std) | statistic_bit(Statistic::L2),
        statistic_bit(Statistic::Nonzero) | statistic_bit(Statistic::Nans),
    };
    unsigned needs = 0;
    for (std::size_t i = 0; i < std::size(kGroups); ++i) needs |= (set & kGroups[i]) != 0 ? 1u << i : 0;
    return needs;
}

}  // namespace

GpuWork gpu_work(const Job& job, const ReduceParams& params) {
    const bool many = __builtin_popcount(params.statistics) > 3;
    return {read_ps(job) * (many ? 1.2 : 1) + segments(job) * kRowPs, many ? 2.0 : 1.0};
}

ReduceParams sample_reduce(const Sample& sample) {
    return ReduceParams{statistics_of(sample.detail), false, 0};
}

SampleRows sample_rows(const ReduceParams&) {
    return SampleRows::Segments;
}

std::vector<Sample> probes_reduce() {
    return {probe(ElementType::F32, 1), probe(ElementType::F32, 6), probe(ElementType::U8, 1),
            rows_probe(ElementType::F32, 1)};
}

unsigned fine_detail(const ReduceParams& params) {
    return needs_of(params.statistics);
}

}  // namespace tegu::daemon
