// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/operations.h"

namespace tegu::daemon {

GpuWork gpu_work(const Job& job, const RowscaleParams&) {
    return {2 * read_ps(job) + segments(job) * kRowPs, 2};
}

RowscaleParams sample_rowscale(const Sample&) {
    return RowscaleParams{};
}

SampleRows sample_rows(const RowscaleParams&) {
    return SampleRows::Segments;
}

std::vector<Sample> probes_rowscale() {
    return {rows_probe(ElementType::F32)};
}

unsigned fine_detail(const RowscaleParams&) {
    return 0;
}

}  // namespace tegu::daemon
