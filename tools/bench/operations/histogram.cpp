// SPDX-License-Identifier: Apache-2.0
// histogram: the values of a narrow type, and bins of floats with a given range and with a range search.
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {

void add_histogram_cases(KernelBench& bench) {
    const auto add = [&](const Job& job, Values values) {
        const HistogramParams& params = std::get<HistogramParams>(job.params);
        bench.add_job(name_of(job) + "/bins=" + std::to_string(params.bins) +
                          (params.has_range ? "/range/" : "/") + word_of(values),
                      job, values);
    };
    HistogramParams sought, bytes, words, unit;
    sought.bins = 256;
    bytes = words = unit = sought;
    bytes.has_range = words.has_range = unit.has_range = true;
    bytes.hi = 256;
    words.bins = 65536;
    words.hi = 65536;
    unit.hi = 1;
    for (const std::uint64_t n : {kLarge, kHuge})
        for (const Values values : {Values::Uniform, Values::Equal})
            add(sequence_job(ElementType::U8, n, bytes), values);
    add(sequence_job(ElementType::U16, kLarge, words), Values::Uniform);
    add(sequence_job(ElementType::I32, kLarge, sought), Values::Uniform);
    add(sequence_job(ElementType::F32, kLarge, sought), Values::Uniform);
    for (const Values values : {Values::Uniform, Values::Equal, Values::Few})
        add(sequence_job(ElementType::F32, kLarge, unit), values);
    add(rows_job(ElementType::F32, kRows, kCols, unit), Values::Uniform);
}

}  // namespace tegu::bench
