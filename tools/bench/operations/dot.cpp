// SPDX-License-Identifier: Apache-2.0
// dot: floats and integers, whole and by rows.
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {

void add_dot_cases(KernelBench& bench) {
    for (const ElementType type :
         {ElementType::U8, ElementType::I16, ElementType::F16, ElementType::F32, ElementType::F64}) {
        const Job job = sequence_job(type, kLarge, DotParams());
        bench.add_job(name_of(job), job);
    }
    const Job rows = rows_job(ElementType::F32, kRows, kCols, DotParams());
    bench.add_job(name_of(rows), rows);
}

}  // namespace tegu::bench
