// SPDX-License-Identifier: Apache-2.0
// rowscale: many short rows, and one long.
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {

void add_rowscale_cases(KernelBench& bench) {
    for (const ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64}) {
        const Job rows = rows_job(type, kRows, kCols, RowscaleParams());
        bench.add_job(name_of(rows), rows);
        const Job whole = sequence_job(type, kLarge, RowscaleParams());
        bench.add_job(name_of(whole), whole);
    }
}

}  // namespace tegu::bench
