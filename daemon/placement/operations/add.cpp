// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/operations.h"

namespace tegu::daemon {

GpuWork gpu_work(const Job& job, const AddParams&) {
    return {3 * read_ps(job), 1};
}

AddParams sample_add(const Sample&) {
    return AddParams{};
}

SampleRows sample_rows(const AddParams&) {
    return SampleRows::Lines;
}

std::vector<Sample> probes_add() {
    return {probe(ElementType::F32)};
}

unsigned fine_detail(const AddParams&) {
    return 0;
}

}  // namespace tegu::daemon
