// SPDX-License-Identifier: Apache-2.0
// How a job is cut into segments: long ones are shared by all threads, many short rows are dealt out.
#include "kernels/quantile/quantile.h"

#include <algorithm>
#include <atomic>

#include "base/number_text.h"
#include "kernels/quantile/cpu/select.h"
#include "kernels/quantile/finish.h"

namespace tegu::kernels {
namespace {

using quantile::Method;
using quantile::MethodKind;
using quantile::Problem;
using quantile::Statistics;
using selection::StridedSegment;
using selection::Team;
using selection::Workspace;

constexpr std::uint64_t kJobNs = 500;         // what a job costs beside its selections
constexpr std::uint64_t kLongRow = 1u << 17;  // elements from which the threads share one row

class PlacesOfQuantiles : public quantile::Places {
  public:
    explicit PlacesOfQuantiles(const QuantileParams& params) : params_(params) {}
    void of(std::uint64_t valid, std::vector<std::uint64_t>& places) const override {
        places.clear();
        for (const double q : params_.q)
            places.push_back(quantile::position_of(q, valid, params_.method).place);
    }

  private:
    const QuantileParams& params_;
};

Problem problem_of(const Job& job, const QuantileParams& params) {
    return Problem{job.axis == Axis::Whole ? job.rows * job.cols : job.cols, job.type, params.q.size(),
                   params.skip_nans};
}

// Of a job of so many segments, on one thread.
std::uint64_t predict_ns(const Problem& problem, const Method& method, std::uint64_t segments) {
    std::uint64_t ns = 0;
    if (__builtin_mul_overflow(quantile::predict_ns(problem, method), std::max<std::uint64_t>(segments, 1),
                               &ns))
        return ~std::uint64_t{0};
    return std::min(ns, ~std::uint64_t{0} - kJobNs) + kJobNs;
}

// Rows that are selected from at the same time, each by one thread with its own workspace.
std::uint64_t concurrent_rows(const Job& job, std::uint64_t n) {
    if (job.axis == Axis::Whole || n >= kLongRow) return 1;
    return std::clamp<std::uint64_t>(job.rows, 1, selection::kMaxSlots);
}

class Run {
  public:
    Run(const Job& job, const QuantileParams& params, const InputView& input, std::byte* out,
        CpuQuantileMethod wanted)
        : job_(job),
          params_(params),
          problem_(problem_of(job, params)),
          method_(choose_method(problem_, wanted)),
          places_(params),
          input_(input),
          out_(out) {}

    const Problem& problem() const { return problem_; }
    const Method& chosen() const { return method_; }

    Result<void> whole(const Team& team) {
        return together(1, team, [this](std::uint64_t) {
            return StridedSegment{input_.data, job_.rows, job_.cols, input_.row_stride, width()};
        });
    }

    Result<void> long_rows(const Team& team) {
        return together(job_.rows, team, [this](std::uint64_t row) { return row_of(row); });
    }

    // Each slot takes bunches of rows.
    Result<void> short_rows(const Team& team) {
        if (job_.rows == 0) return {};
        const std::uint64_t bunch = rows_of_bunch();
        std::vector<Workspace> workspaces(
            std::min<std::uint64_t>(team.slots(), concurrent_rows(job_, problem_.n)));
        std::vector<Statistics> statistics(workspaces.size());
        for (Workspace& workspace : workspaces) {
            Result<Workspace> made = Workspace::create(method_.bytes);
            if (!made) return std::move(made).error();
            workspace = std::move(*made);
        }
        const Team alone = team.alone();
        const bool done = team.run(bunches(), [&](std::uint64_t task, unsigned slot) {
            const std::uint64_t end = std::min(job_.rows, (task + 1) * bunch);
            for (std::uint64_t row = task * bunch; row < end; ++row)
                if (!one(row_of(row), row, workspaces[slot].memory(), alone, statistics[slot])) return;
        });
        if (!done) return team.stop().error();
        return {};
    }

    std::string method() const { return describe(method_, passes_.load()); }

    // That the rows were divided among, or each of them.
    unsigned threads(const Team& team) const {
        const bool short_rows = job_.axis == Axis::Rows && problem_.n < kLongRow;
        const std::uint64_t parts = short_rows ? std::max<std::uint64_t>(bunches(), 1) : method_.slots;
        return static_cast<unsigned>(std::min<std::uint64_t>(team.slots(), parts));
    }

  private:
    // A bunch of rows is worth about a tenth of a millisecond.
    std::uint64_t rows_of_bunch() const {
        return std::max<std::uint64_t>(1, 16384 / std::max<std::uint64_t>(1, job_.cols));
    }
    std::uint64_t bunches() const { return (job_.rows + rows_of_bunch() - 1) / rows_of_bunch(); }

    unsigned width() const { return static_cast<unsigned>(element_bytes(job_.type)); }

    StridedSegment row_of(std::uint64_t row) const {
        return StridedSegment{input_.data + row * input_.row_stride * width(), 1, job_.cols, job_.cols,
                              width()};
    }

    template <class SegmentOf>
    Result<void> together(std::uint64_t rows, const Team& team, SegmentOf segment_of) {
        if (rows == 0) return {};
        Result<Workspace> workspace = Workspace::create(method_.bytes);
        if (!workspace) return std::move(workspace).error();
        Statistics statistics;
        for (std::uint64_t row = 0; row < rows; ++row)
            if (!one(segment_of(row), row, workspace->memory(), team, statistics)) return team.stop().error();
        return {};
    }

    // False: a stop was requested.
    bool one(const StridedSegment& segment, std::uint64_t row, std::byte* memory, const Team& team,
             Statistics& statistics) {
        if (!select(segment, problem_, method_, memory, team, places_, statistics)) return false;
        std::uint64_t most = passes_.load(std::memory_order_relaxed);
        while (most < statistics.passes &&
               !passes_.compare_exchange_weak(most, statistics.passes, std::memory_order_relaxed)) {
        }
        write(statistics, row);
        return true;
    }

    void write(const Statistics& statistics, std::uint64_t row) {
        const std::size_t width = element_bytes(quantile::result_type(job_.type, params_.method));
        quantile::finish(params_, job_.type, problem_.n, statistics.nans, statistics.pairs.data(),
                         out_ + row * params_.q.size() * width);
    }

    const Job& job_;
    const QuantileParams& params_;
    const Problem problem_;
    const Method method_;
    const PlacesOfQuantiles places_;
    const InputView& input_;
    std::byte* const out_;
    std::atomic<std::uint64_t> passes_{0};  // the most of any segment
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

// No rows have no elements however long they would be: methods are chosen as for rows of one.
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
    const std::uint64_t rows = job.axis == Axis::Whole ? 1 : job.rows;
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
    if (rows > 0) plan.scratch_bytes = method.bytes * concurrent_rows(job, problem.n);
    plan.predicted_ns = predict_ns(problem, method, rows);
    return plan;
}

Result<RunReport> run_quantile(const Job& given, const QuantileParams& params, Span<const InputView> inputs,
                               Span<const OutputView> outputs, const CpuContext& context,
                               const StopToken& stop) {
    const Job job = with_a_column(given);
    Run run(job, params, inputs[0], outputs[0].data, context.policies.quantile.method);
    const std::uint64_t segments = job.axis == Axis::Whole ? 1 : job.rows;
    const Team team(context.pool_for(predict_ns(run.problem(), run.chosen(), segments), 0), stop);
    const bool long_rows = run.problem().n >= kLongRow;
    Result<void> done = job.axis == Axis::Whole ? run.whole(team)
                        : long_rows             ? run.long_rows(team)
                                                : run.short_rows(team);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(run.threads(team));
    report.policy += " " + run.method();
    report.filled_columns = {params.q.size()};
    return report;
}

}  // namespace tegu::kernels
