// SPDX-License-Identifier: Apache-2.0
// The tuning of dot: its kernels' revision and the class of a job.
#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {

OperationTuning dot_tuning() {
    return {1, 1, {}, reduce_fields()};
}

void describe(const DotParams&, JobClass*) {}

}  // namespace tegu::tuning
