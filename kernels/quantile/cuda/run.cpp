// SPDX-License-Identifier: Apache-2.0
// Chooses how a quantile job runs on the GPU, and reports it.
#include "kernels/quantile/cuda/run.h"

#include <algorithm>

#include "kernels/registry.h"

namespace tegu::cuda {
namespace {

Result<void> find(QuantileRun* run) {
    const KeySegments& in = run->in;
    const QuantilePolicy& policy = run->config.policy;
    if (in.n <= quantile_capacity(in.width, policy, run->config.limits) || narrows(*run))
        return find_by_blocks(run);
    const bool one = in.count == 1 && run->params.q.size() == 1;
    return one && in.n >= policy.bracket_elements ? find_by_bracket(run) : find_by_counts(run);
}

}  // namespace

QuantileRun::QuantileRun(const JobRun& run, const QuantileParams& with, const Context& on)
    : params(with),
      type(run.job.type),
      in(segments_of(run.job, run.inputs[0], false)),
      out(run.outputs[0].data),
      result_bytes(with.q.size() * element_bytes(kernels::quantile::result_type(type, with.method))),
      context(on),
      config(on.config(on.policies.quantile)),
      stop(run.stop),
      pace(on, run.stop) {}

std::uint64_t QuantileRun::rank_of(double q, std::uint64_t nans) const {
    return kernels::quantile::position_of(q, in.n - nans, params.method).rank;
}

void QuantileRun::finish(std::uint64_t nans, const kernels::quantile::Pair* pairs, std::byte* results) const {
    kernels::quantile::finish(params, type, in.n, std::min(nans, in.n), pairs, results);
}

Result<void> QuantileRun::write(const std::vector<std::byte>& results, std::uint64_t first) const {
    Result<void> written =
        context.workspace->write(out + first * result_bytes, results.data(), results.size());
    return written ? context.workspace->synchronize() : written;
}

Result<kernels::RunReport> run_quantile(const JobRun& run, const QuantileParams& params,
                                        const Context& context) {
    kernels::RunReport report = cuda_report(context);
    report.filled_columns = {params.q.size()};
    if (run.job.axis == Axis::Rows && run.job.rows == 0) return report;
    QuantileRun quantile(run, params, context);
    Result<void> done = find(&quantile);
    if (!done) return std::move(done).error();
    report.policy.add_word("method", quantile.method);
    if (quantile.passes != 0) report.policy.add("passes", quantile.passes);
    return report;
}

}  // namespace tegu::cuda
