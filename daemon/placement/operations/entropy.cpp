// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "daemon/placement/operations.h"

namespace tegu::daemon {

GpuWork gpu_work(const Job& job, const EntropyParams& params) {
    return count_work(job, params.levels, params.has_range, 40 * kRowPs + 29000.0 * params.levels);
}

EntropyParams sample_entropy(const Sample& sample) {
    EntropyParams params;
    params.levels = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(or_default(sample.detail, 256), kMaxEntropyLevels));
    params.has_range = true;
    params.hi = 1;
    return params;
}

SampleRows sample_rows(const EntropyParams&) {
    return SampleRows::Segments;
}

std::vector<Sample> probes_entropy() {
    return {probe(ElementType::F32, 256), probe(ElementType::U8, 256)};
}

unsigned fine_detail(const EntropyParams& params) {
    return params.has_range ? 1 : 0;
}

}  // namespace tegu::daemon
