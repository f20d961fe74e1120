// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/operations.h"

namespace tegu::daemon {

GpuWork gpu_work(const Job& job, const FusedParams& params) {
    GpuWork sum;
    for (const FusedPart& part : params.parts) {
        const GpuWork one = std::visit([&](const auto& each) { return gpu_work(job, each); }, part);
        sum.ps += one.ps;
        sum.steps += one.steps;
    }
    return sum;
}

FusedParams sample_fused(const Sample&) {
    FusedParams params;
    params.parts = {ReduceParams{statistic_bit(Statistic::Sum), false, 0}, TopkParams{16, true, false}};
    return params;
}

SampleRows sample_rows(const FusedParams&) {
    return SampleRows::Segments;
}

std::vector<Sample> probes_fused() {
    return {probe(ElementType::F32)};
}

unsigned fine_detail(const FusedParams&) {
    return 0;
}

}  // namespace tegu::daemon
