// SPDX-License-Identifier: Apache-2.0
// quantile: exact quantiles of a whole array or of each of its rows, as numpy defines them (docs/numerics.md,
// "Quantiles"). kernels/quantile/cpu/select.h finds the order statistics, kernels/quantile/finish.h
// interpolates.
#include <algorithm>
#include <atomic>

#include "base/number_text.h"
#include "kernels/quantile/cpu/select.h"
#include "kernels/quantile/finish.h"
#include "kernels/registry.h"
#include "kernels/selection/cpu/rows.h"

namespace tegu::kernels {
namespace {

using quantile::Method;
using quantile::Problem;
using quantile::Statistics;
using selection::Workspace;

constexpr std::uint64_t kJobNs = 500;  // fixed cost of a job besides its selections

class RanksOfQuantiles : public quantile::Ranks {
  public:
    explicit RanksOfQuantiles(const QuantileParams& params) : params_(params) {}
    void of(std::uint64_t valid, std::vector<std::uint64_t>& ranks) const override {
        ranks.clear();
        for (const double q : params_.q)
            ranks.push_back(quantile::position_of(q, valid, params_.method).rank);
    }

  private:
    const QuantileParams& params_;
};

Problem problem_of(const Job& job, const QuantileParams& params) {
    return Problem{segment_elements(job), job.type, params.q.size(), params.skip_nans};
}

// Time of a job with this number of segments, on one thread.
std::uint64_t predict_ns(const Problem& problem, const Method& method, std::uint64_t segments) {
    std::uint64_t ns = 0;
    if (__builtin_mul_overflow(quantile::predict_ns(problem, method), std::max<std::uint64_t>(segments, 1),
                               &ns))
        return ~std::uint64_t{0};
    return std::min(ns, ~std::uint64_t{0} - kJobNs) + kJobNs;
}

class Run {
  public:
    Run(const Job& job, const QuantileParams& params, const Method& method, const InputView& input,
        std::byte* out)
        : job_(job),
          params_(params),
          problem_(problem_of(job, params)),
          method_(method),
          ranks_(params),
          input_(input),
          out_(out) {}

    Result<void> run(const WorkerGroup& workers) {
        Statistics statistics[kMaxWorkers];
        return selection::for_selections(
            job_, method_.bytes, workers,
            [&](std::uint64_t row, unsigned worker, Workspace& workspace, const WorkerGroup& group) {
                return one(row, workspace.memory(), group, statistics[worker]);
            });
    }

    std::uint64_t passes() const { return passes_.load(); }

  private:
    Result<void> one(std::uint64_t row, std::byte* memory, const WorkerGroup& workers,
                     Statistics& statistics) {
        if (!select(segment_at(job_, input_, row), problem_, method_, memory, workers, ranks_, statistics))
            return workers.stop().error();
        std::uint64_t max = passes_.load(std::memory_order_relaxed);
        while (max < statistics.passes &&
               !passes_.compare_exchange_weak(max, statistics.passes, std::memory_order_relaxed)) {
        }
        const std::size_t width = element_bytes(quantile::result_type(job_.type, params_.method));
        quantile::finish(params_, job_.type, problem_.n, statistics.nans, statistics.pairs.data(),
                         out_ + row * params_.q.size() * width);
        return {};
    }

    const Job& job_;
    const QuantileParams& params_;
    const Problem problem_;
    const Method& method_;
    const RanksOfQuantiles ranks_;
    const InputView& input_;
    std::byte* const out_;
    std::atomic<std::uint64_t> passes_{0};  // the maximum of all segments
};

Result<void> check_params(const QuantileParams& params) {
    if (params.q.empty() || params.q.size() > kMaxQuantiles)
        return bad_range("q", "1.." + std::to_string(kMaxQuantiles) + " quantiles",
                         "there are " + std::to_string(params.q.size()) + " of them");
    for (const double q : params.q)
        if (!(q >= 0 && q <= 1)) return bad_range("q", "0..1", "q is " + number_text(q));
    if (params.method > QuantileMethod::Midpoint)
        return bad_range("method", "0..4",
                         "method " + std::to_string(static_cast<unsigned>(params.method)) + " is not known");
    return {};
}

// Zero rows have no elements for any row length: methods are chosen as for rows of one element.
Job with_a_column(Job job) {
    if (job.axis == Axis::Rows && job.rows == 0 && job.cols == 0) job.cols = 1;
    return job;
}

}  // namespace

Result<JobPlan> plan_quantile(const Job& given, const QuantileParams& params, const CpuPolicies& policies) {
    Result<void> checked = check_params(params);
    if (!checked) return std::move(checked).error();
    const Job job = with_a_column(given);
    const Problem problem = problem_of(job, params);
    const std::uint64_t rows = segments_of(job);
    if (problem.n == 0)
        return field_error(Status::EmptyInput, job.rows == 0 ? "rows" : "cols", "at least 1",
                           "quantile: there are no elements");
    if (rows > (std::uint64_t{1} << 58) / params.q.size())
        return field_error(Status::TooLarge, "q", "rows * quantiles up to 2^58",
                           "quantile: the result is larger than any buffer");

    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Quantiles, quantile::result_type(job.type, params.method), rows,
                              params.q.size()}};
    plan.bytes_written = array_bytes(plan.outputs[0]);
    plan.bytes_read = job.rows * job.cols * element_bytes(job.type);
    const Method method = choose_method(problem, policies.quantile.method);
    if (rows > 0) plan.scratch_bytes = method.bytes * selection::concurrent_segments(job);
    plan.predicted_ns = predict_ns(problem, method, rows);
    plan.method.store(method);
    return plan;
}

Result<RunReport> run_quantile(const Job& given, const QuantileParams& params, const JobPlan& plan,
                               Span<const InputView> inputs, Span<const OutputView> outputs,
                               const CpuContext& context, const StopToken& stop) {
    const Job job = with_a_column(given);
    const Method method = plan.method.load<Method>();
    Run run(job, params, method, inputs[0], outputs[0].data);
    const WorkerGroup workers = group_for(context, plan.predicted_ns, stop, kMaxWorkers, 0);
    Result<void> done = run.run(workers);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(selection::busy_workers(job, workers, method.workers));
    describe(method, run.passes(), &report.policy);
    report.filled_columns = {params.q.size()};
    return report;
}

}  // namespace tegu::kernels
