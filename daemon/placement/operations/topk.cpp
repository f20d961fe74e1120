// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "daemon/placement/operations.h"

namespace tegu::daemon {
namespace {

constexpr double kSortPs = 21000;      // per sorted element
constexpr std::uint64_t kCutK = 4096;  // above it the candidates are sorted

}  // namespace

GpuWork gpu_work(const Job& job, const TopkParams& params) {
    const double k = static_cast<double>(params.k) * segments(job);
    double ps = read_ps(job) * (params.distinct ? 3.5 : 1) + segments(job) * 60 * kRowPs;
    if (params.k <= kCutK) return {ps, params.distinct ? 10.0 : 3.0};
    return {ps + std::min(1.3 * k, elements(job)) * kSortPs, 16};
}

TopkParams sample_topk(const Sample& sample) {
    return TopkParams{or_default(sample.detail, 16), true, sample.distinct};
}

SampleRows sample_rows(const TopkParams&) {
    return SampleRows::Segments;
}

std::vector<Sample> probes_topk() {
    Sample distinct = probe(ElementType::F32, 16);
    distinct.distinct = true;
    return {probe(ElementType::F32, 16), probe(ElementType::F32, 1024), distinct,
            rows_probe(ElementType::F32, 16)};
}

unsigned fine_detail(const TopkParams& params) {
    return params.largest ? 1 : 0;
}

}  // namespace tegu::daemon
