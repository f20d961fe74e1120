// SPDX-License-Identifier: Apache-2.0
// The tuning of reduce: its kernels' revision and the class of a job.
#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {

OperationTuning reduce_tuning() {
    return {1, 1, {}, reduce_fields()};
}

void describe(const ReduceParams& params, JobClass* to) {
    to->variants = skip_bit(params.skip_nans);
    to->detail =
        static_cast<unsigned>(__builtin_popcount(params.statistics & ~statistic_bit(Statistic::Count)));
}

}  // namespace tegu::tuning
