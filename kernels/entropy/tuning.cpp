// SPDX-License-Identifier: Apache-2.0
// The tuning of entropy: its kernels' revision and the class of a job.
#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {

OperationTuning entropy_tuning() {
    return {1, 1, {}, count_fields()};
}

void describe(const EntropyParams& params, JobClass* to) {
    to->variants = skip_bit(params.skip_nans);
    to->detail = params.levels;
}

}  // namespace tegu::tuning
