// SPDX-License-Identifier: Apache-2.0
// reduce: single statistics that have a peer, all at once, small inputs, and the search for an index in
// narrow types.
#include <initializer_list>

#include "tools/bench/kernel_cases.h"

namespace tegu::bench {
namespace {

struct Set {
    const char* word;
    StatisticSet set;
};
constexpr Set kSum{"sum", statistic_bit(Statistic::Sum)};
constexpr Set kMax{"max", statistic_bit(Statistic::Max)};
constexpr Set kArgmin{"argmin", statistic_bit(Statistic::Argmin)};
constexpr Set kArgmax{"argmax", statistic_bit(Statistic::Argmax)};
constexpr Set kStd{"std", statistic_bit(Statistic::Std)};
constexpr Set kAll{"all", kAllStatistics};

void add(KernelBench& bench, std::initializer_list<ElementType> types,
         std::initializer_list<std::uint64_t> sizes, std::initializer_list<Set> sets) {
    for (const ElementType type : types)
        for (const std::uint64_t n : sizes)
            for (const Set& set : sets) {
                ReduceParams params;
                params.statistics = set.set;
                const Job job = sequence_job(type, n, params);
                bench.add_job(name_of(job) + "/stats=" + set.word, job);
            }
}

}  // namespace

void add_reduce_cases(KernelBench& bench) {
    add(bench, {ElementType::F32, ElementType::I32}, {64, 256, 1024, 4096, 100000}, {kSum, kAll});
    add(bench, {ElementType::U8}, {1024, 100000}, {kSum, kAll});
    add(bench, {ElementType::F32, ElementType::I32}, {kLarge, kHuge}, {kSum, kMax, kArgmax, kStd, kAll});
    add(bench, {ElementType::F32}, {16777216}, {kSum});  // 64 MiB, for the daemon
    add(bench, {ElementType::U8, ElementType::I8, ElementType::U16, ElementType::I16}, {kLarge, kHuge},
        {kArgmin, kArgmax});
    add(bench, {ElementType::U8, ElementType::F16, ElementType::F64}, {kLarge}, {kSum, kAll});
    for (const Set& set : {kSum, kAll}) {
        ReduceParams params;
        params.statistics = set.set;
        const Job job = rows_job(ElementType::F32, kRows, kCols, params);
        bench.add_job(name_of(job) + "/stats=" + set.word, job);
    }
}

}  // namespace tegu::bench
