// SPDX-License-Identifier: Apache-2.0
// add: types of every width.
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {

void add_add_cases(KernelBench& bench) {
    for (const ElementType type :
         {ElementType::U8, ElementType::I32, ElementType::F16, ElementType::F32, ElementType::F64})
        for (const std::uint64_t n : {std::uint64_t{100000}, kLarge}) {
            const Job job = sequence_job(type, n, AddParams());
            bench.add_job(name_of(job), job, Values::Small);
        }
}

}  // namespace tegu::bench
