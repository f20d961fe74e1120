// SPDX-License-Identifier: Apache-2.0
// Chooses how a quantile job runs on the GPU, and reports it.
#include "kernels/quantile/cuda/run.h"

#include <algorithm>

#include "kernels/registry.h"

namespace tegu::cuda {
namespace {

static_assert(kLinearQuantile == static_cast<unsigned>(QuantileMethod::Linear) &&
                  kLowerQuantile == static_cast<unsigned>(QuantileMethod::Lower) &&
                  kHigherQuantile == static_cast<unsigned>(QuantileMethod::Higher) &&
                  kNearestQuantile == static_cast<unsigned>(QuantileMethod::Nearest) &&
                  kMidpointQuantile == static_cast<unsigned>(QuantileMethod::Midpoint),
              "kernels know the methods by these numbers");

Result<void> find(QuantileRun* run) {
    const KeySegments& in = run->in;
    const QuantilePolicy& policy = run->config.policy;
    if (in.n <= quantile_capacity(in.width, policy, run->config.limits) || narrows(*run))
        return find_by_blocks(run);
    const bool few = in.count == 1 && run->params.q.size() <= kBracketQuantiles;
    return few && in.n >= policy.bracket_elements ? find_by_bracket(run) : find_by_counts(run);
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

Result<void> QuantileRun::prepare(QuantileOutput* output) const {
    *output = QuantileOutput{
        out, params.q.size(), nullptr, {}, static_cast<unsigned>(params.method), params.skip_nans};
    if (params.q.size() <= kFewQuantiles) {
        std::copy(params.q.begin(), params.q.end(), output->few);
        return {};
    }
    ArrayTaker arrays(context);
    auto* const more = arrays.take<double>(params.q.size());
    if (!arrays.done()) return arrays.done();
    output->more = more;
    return context.workspace->write(more, params.q.data(), params.q.size() * sizeof(double));
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
