// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "daemon/placement/operations.h"

namespace tegu::daemon {

GpuWork gpu_work(const Job& job, const QuantileParams& params) {
    const double each = params.q.size() == 1 ? 12 : 35;
    return {each * read_ps(job) + segments(job) * 1000 * kRowPs, 20};
}

QuantileParams sample_quantile(const Sample& sample) {
    QuantileParams params;
    const std::uint64_t count = std::min<std::uint64_t>(or_default(sample.detail, 1), kMaxQuantiles);
    for (std::uint64_t i = 0; i < count; ++i)
        params.q.push_back(static_cast<double>(i + 1) / static_cast<double>(count + 1));
    return params;
}

SampleRows sample_rows(const QuantileParams&) {
    return SampleRows::Segments;
}

std::vector<Sample> probes_quantile() {
    return {probe(ElementType::F32, 1), probe(ElementType::F32, 7)};
}

unsigned fine_detail(const QuantileParams&) {
    return 0;
}

}  // namespace tegu::daemon
