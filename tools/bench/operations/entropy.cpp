// SPDX-License-Identifier: Apache-2.0
// entropy: levels that are the values of a narrow type, and levels of floats, whole and by rows.
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {

void add_entropy_cases(KernelBench& bench) {
    const auto add = [&](const Job& job) {
        const EntropyParams& params = std::get<EntropyParams>(job.params);
        bench.add_job(
            name_of(job) + "/levels=" + std::to_string(params.levels) + (params.has_range ? "/range" : ""),
            job);
    };
    EntropyParams params;
    add(sequence_job(ElementType::U8, kHuge, params));
    add(sequence_job(ElementType::I32, kLarge, params));
    add(sequence_job(ElementType::F32, kLarge, params));
    params.has_range = true;
    params.hi = 1;
    add(sequence_job(ElementType::F32, kLarge, params));
    params.levels = 16;
    add(rows_job(ElementType::F32, kRows, kCols, params));
    params = EntropyParams();
    params.levels = 65536;
    add(sequence_job(ElementType::U16, kLarge, params));
}

}  // namespace tegu::bench
