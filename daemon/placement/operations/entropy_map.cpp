// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "daemon/placement/operations.h"

namespace tegu::daemon {
namespace {

constexpr std::uint32_t kLevels = 16;

}  // namespace

GpuWork gpu_work(const Job& job, const EntropyMapParams& params) {
    const double window = std::sqrt(static_cast<double>(params.window_rows) * params.window_cols);
    const double levels = 1 + 0.3 * std::max(0.0, std::log2(static_cast<double>(params.levels)) - 4);
    return {elements(job) * 261 * (3 + 1.3 * window) * levels, 2};
}

EntropyMapParams sample_entropy_map(const Sample& sample) {
    const double edge = std::sqrt(static_cast<double>(or_default(sample.detail, 25)));
    EntropyMapParams params;
    params.window_rows = static_cast<std::uint32_t>(std::clamp(edge, 3.0, 63.0)) | 1;
    params.window_cols = params.window_rows;
    params.levels = sample.levels == 0 ? kLevels : sample.levels;
    params.has_range = true;
    params.hi = 1;
    return params;
}

SampleRows sample_rows(const EntropyMapParams&) {
    return SampleRows::Image;
}

std::vector<Sample> probes_entropy_map() {
    constexpr std::uint64_t kColumns = 512;
    Sample middle = rows_probe(ElementType::U8, 81, kColumns),
           large = rows_probe(ElementType::U8, 961, kColumns);
    middle.levels = 256;
    large.levels = 16;
    return {rows_probe(ElementType::F32, 25, kColumns), middle, large};
}

unsigned fine_detail(const EntropyMapParams& params) {
    return log2_of(params.levels) * 16 + log2_of(params.window_rows) * 2 + (params.has_range ? 1 : 0);
}

}  // namespace tegu::daemon
