// SPDX-License-Identifier: Apache-2.0
// topk: sizes, k and distributions of values.
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {
namespace {

void add(KernelBench& bench, ElementType type, std::uint64_t n, std::uint64_t k, Values values,
         bool distinct = false) {
    TopkParams params;
    params.k = k;
    params.distinct = distinct;
    const Job job = sequence_job(type, n, params);
    bench.add_job(
        name_of(job) + "/k=" + std::to_string(k) + "/" + word_of(values) + (distinct ? "/distinct" : ""), job,
        values);
}

}  // namespace

void add_topk_cases(KernelBench& bench) {
    for (const std::uint64_t n : {100000u, 1000000u, 10000000u})
        for (const std::uint64_t k : std::initializer_list<std::uint64_t>{10, 1000, 65536, n / 2})
            if (k <= n / 2) add(bench, ElementType::I32, n, k, Values::Uniform);
    for (const std::uint64_t k : std::initializer_list<std::uint64_t>{10, 1000, 65536, kLarge / 2}) {
        for (const Values values : {Values::Ascending, Values::Descending, Values::Equal, Values::Few})
            add(bench, ElementType::I32, kLarge, k, values);
        for (const Values values :
             {Values::Uniform, Values::Ascending, Values::Descending, Values::Equal, Values::Few})
            add(bench, ElementType::I32, kLarge, k, values, true);
    }
    for (const std::uint64_t n : {std::uint64_t{1000000}, kLarge})
        add(bench, ElementType::F32, n, n / 2, Values::Uniform);
    for (const ElementType type : {ElementType::U8, ElementType::F16, ElementType::F32, ElementType::F64})
        add(bench, type, kLarge, 10, Values::Uniform);
    const Job rows = rows_job(ElementType::F32, kRows, kCols, TopkParams{10, true, false});
    bench.add_job(name_of(rows) + "/k=10/uniform", rows);
}

}  // namespace tegu::bench
