// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "daemon/placement/operations.h"

namespace tegu::daemon {

GpuWork gpu_work(const Job& job, const HistogramParams& params) {
    return count_work(job, params.bins, params.has_range, 40 * kRowPs);
}

HistogramParams sample_histogram(const Sample& sample) {
    HistogramParams params;
    params.bins =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(or_default(sample.detail, 64), kMaxBins));
    params.has_range = true;
    params.hi = 1;
    return params;
}

SampleRows sample_rows(const HistogramParams&) {
    return SampleRows::Segments;
}

std::vector<Sample> probes_histogram() {
    return {probe(ElementType::F32, 64), probe(ElementType::U8, 256)};
}

unsigned fine_detail(const HistogramParams& params) {
    return params.has_range ? 1 : 0;
}

}  // namespace tegu::daemon
