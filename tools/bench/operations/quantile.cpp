// SPDX-License-Identifier: Apache-2.0
// quantile: the median and nine quantiles at once, over several distributions of values.
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {

void add_quantile_cases(KernelBench& bench) {
    QuantileParams median, nine;
    median.q = {0.5};
    for (int i = 1; i < 10; ++i) nine.q.push_back(i / 10.0);
    const auto add = [&](const Job& job, const char* q, Values values) {
        bench.add_job(name_of(job) + "/q=" + q + "/" + word_of(values), job, values);
    };
    for (const ElementType type :
         {ElementType::U8, ElementType::I32, ElementType::F16, ElementType::F32, ElementType::F64})
        add(sequence_job(type, kLarge, median), "0.5", Values::Uniform);
    add(sequence_job(ElementType::F32, kLarge, nine), "0.1..0.9", Values::Uniform);
    for (const Values values : {Values::Ascending, Values::Descending, Values::Equal, Values::Few})
        add(sequence_job(ElementType::F32, kLarge, median), "0.5", values);
    add(rows_job(ElementType::F32, kRows, kCols, median), "0.5", Values::Uniform);
}

}  // namespace tegu::bench
