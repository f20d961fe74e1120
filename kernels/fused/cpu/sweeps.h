// SPDX-License-Identifier: Apache-2.0
// The parts of a fused job that share their reads: statistics, histogram and entropy. Each chunk of a segment
// goes through all of them while it is in a cache. A histogram or entropy whose range comes from the data
// runs in a second sweep, after the first has found the range.
#pragma once

#include <optional>
#include <vector>

#include "kernels/counting/cpu/counting_run.h"
#include "kernels/entropy/cpu/run.h"
#include "kernels/histogram/cpu/run.h"
#include "kernels/statistics/cpu/typed.h"

namespace tegu::kernels {

// The parts of a job and their output arrays; null: no such part. Outputs are null for a plan.
struct SweptParts {
    const ReduceParams* reduce = nullptr;
    const HistogramParams* histogram = nullptr;
    const EntropyParams* entropy = nullptr;
    const OutputView* reduce_outputs = nullptr;
    const OutputView* histogram_outputs = nullptr;
    const OutputView* entropy_outputs = nullptr;

    bool any() const { return reduce != nullptr || histogram != nullptr || entropy != nullptr; }
};

// The number of sweeps over the data, and the maximum scratch memory.
int sweeps_of(const Job& job, const SweptParts& parts);
std::uint64_t sweep_scratch_bytes(const Job& job, const SweptParts& parts);

// Runs the parts; returns the number of workers. If `predicted_ns` of work is worth waking threads, that is
// the size of the pool, limited by kMaxWorkers and by the workers' memory. Errors: those of the parts alone,
// with the part's name.
Result<unsigned> run_sweeps(const Job& job, const SweptParts& parts, const InputView& input,
                            const CpuContext& context, std::uint64_t predicted_ns, const StopToken& stop);

}  // namespace tegu::kernels
