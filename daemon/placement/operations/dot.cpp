// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/operations.h"

namespace tegu::daemon {

GpuWork gpu_work(const Job& job, const DotParams&) {
    return {2 * read_ps(job) + segments(job) * kRowPs, 1};
}

DotParams sample_dot(const Sample&) {
    return DotParams{};
}

SampleRows sample_rows(const DotParams&) {
    return SampleRows::Segments;
}

std::vector<Sample> probes_dot() {
    return {probe(ElementType::F32)};
}

unsigned fine_detail(const DotParams&) {
    return 0;
}

}  // namespace tegu::daemon
