// SPDX-License-Identifier: Apache-2.0
// reduce: any set of statistics of the whole array or of each row, in one pass over the data. Outputs: one
// array per statistic, in the order of their numbers. Small jobs allocate only their report.
#include <algorithm>
#include <string>

#include "kernels/execution/cpu/sweep.h"
#include "kernels/reduce/cpu/cost.h"
#include "kernels/registry.h"
#include "kernels/statistics/cpu/typed.h"
#include "kernels/statistics/nodes.h"

namespace tegu::kernels {
namespace {

// --- the plan

std::string statistic_words(bool (*accept)(Statistic)) {
    std::string words;
    for (const StatisticInfo& info : kStatisticInfos)
        if (accept(info.statistic)) words += (words.empty() ? "" : ", ") + std::string(info.word);
    return words;
}

std::uint64_t partial_bytes(ElementType type) {
    return is_float(type) ? sizeof(FloatPartial) : sizeof(IntegerPartial);
}

Result<void> check_params(const Job& job, const ReduceParams& params) {
    const auto any = [](Statistic) { return true; };
    if (params.statistics == 0)
        return bad_range("statistics", statistic_words(any), "the set of statistics is empty");
    if (params.statistics & ~kAllStatistics)
        return field_error(
            Status::Unsupported, "statistics", statistic_words(any),
            "the set of statistics has an unknown member (bits " + std::to_string(params.statistics) + ")");
    if (params.ddof > 1) return bad_range("ddof", "0 or 1", "ddof is " + std::to_string(params.ddof));
    Result<void> piece = check_piece(job, params);
    if (!piece || params.partial) return piece;
    const bool rows = job.axis == Axis::Rows;
    if (rows && job.rows > kMaxOutputRows)
        return field_error(Status::TooLarge, "rows", "up to 2^56",
                           "a result for each of " + std::to_string(job.rows) + " rows is too large");
    const bool empty = rows ? job.rows != 0 && job.cols == 0 : job.rows == 0 || job.cols == 0;
    if (!empty) return {};
    for (const StatisticInfo& info : kStatisticInfos)
        if ((params.statistics & statistic_bit(info.statistic)) && !defined_for_empty(info.statistic))
            return field_error(Status::EmptyInput, "statistics", statistic_words(defined_for_empty),
                               std::string(info.word) + " of an empty sequence is not defined");
    return {};
}

// The state of a run besides the data: the statistics and their outputs.
template <class T>
class Run {
  public:
    using Partial = typename ReduceKernel<T>::Partial;

    Run(const Job& job, const ReduceParams& params, unsigned needs, Span<const OutputView> outputs)
        : job_(job),
          writer_(job, params, outputs.data()),
          work_{ReduceKernel<T>::select(), needs_of_job(needs, job.rows * job.cols * sizeof(T))} {}

    Result<void> run(const InputView& input, const WorkerGroup& workers) const {
        return for_segments(job_, job_.cols * sizeof(T) + kRowCost, workers,
                            [&](std::uint64_t row, const WorkerGroup& some) {
                                return one(segment_at(job_, input, row), row, some);
                            });
    }

  private:
    static constexpr std::uint64_t kRowCost = 64;  // bytes

    Result<void> one(const Segment& segment, std::uint64_t row, const WorkerGroup& workers) const {
        Partial partial;
        if (work_.needs == 0 || segment.n == 0) {
            partial = Partial{};
        } else {
            Result<void> done = reduce_segment(work_, segment, workers, &partial);
            if (!done) return done;
        }
        return writer_.write(segment, partial, row);
    }

    const Job& job_;
    const StatisticWriter<T> writer_;
    const ChunkWork<Partial> work_;
};

// The nodes of a piece, one after another; all workers share each.
template <class T>
class NodesRun {
  public:
    using Partial = typename ReduceKernel<T>::Partial;

    // `params`: node_params().
    NodesRun(const Job& job, const ReduceParams& params, const OutputView& output)
        : job_(job),
          params_(params),
          work_{ReduceKernel<T>::select(),
                needs_of_job(reduce_needs(params, job.type), job.cols * sizeof(T))},
          output_(output) {}

    Result<void> run(const InputView& input, const WorkerGroup& workers) const {
        std::memset(output_.data, 0, nodes_bytes());
        std::byte* to = output_.data;
        Result<void> done;
        for_each_node(params_.offset, job_.cols, params_.last, [&](std::uint64_t begin, std::uint64_t count) {
            const Segment segment = dense_segment(input.data + begin * sizeof(T), count, sizeof(T));
            if (done) done = one(segment, workers, to);
            to += kReduceNodeWords * sizeof(std::uint64_t);
        });
        return done;
    }

  private:
    std::size_t nodes_bytes() const {
        return node_count(params_.offset, job_.cols, params_.last) * kReduceNodeWords * sizeof(std::uint64_t);
    }

    Result<void> one(const Segment& segment, const WorkerGroup& workers, std::byte* to) const {
        if (work_.needs == 0) return {};
        Partial partial;
        Result<void> done = reduce_segment(work_, segment, workers, &partial);
        if (!done) return done;
        FinishContext context{job_.type, segment.n, params_.skip_nans, 0, -1, -1, 0};
        if (params_.statistics & statistic_bit(Statistic::Argmin))
            context.argmin = find_extreme<T>(segment, params_.skip_nans, partial, false);
        if (params_.statistics & statistic_bit(Statistic::Argmax))
            context.argmax = find_extreme<T>(segment, params_.skip_nans, partial, true);
        for_each_node_statistic(job_.type, params_.statistics, [&](Statistic statistic, unsigned word) {
            if (done) done = write_statistic(statistic, context, partial, to + word * sizeof(std::uint64_t));
        });
        write_sums(partial, to);
        return done;
    }
    void write_sums(const FloatPartial& partial, std::byte* to) const {
        if (work_.needs & kNeedMoments) write_moments(partial, to + kNodeMoments * sizeof(std::uint64_t));
    }
    void write_sums(const IntegerPartial& partial, std::byte* to) const {
        write_wide(partial, work_.needs, to + kNodeWide * sizeof(std::uint64_t));
    }

    const Job& job_;
    const ReduceParams& params_;
    const ChunkWork<Partial> work_;
    const OutputView& output_;
};

JobPlan plan_nodes(const Job& job, const ReduceParams& params) {
    const unsigned needs = reduce_needs(node_params(params, job.type), job.type);
    const std::uint64_t nodes = node_count(params.offset, job.cols, params.last);
    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Nodes, ElementType::U64, nodes, kReduceNodeWords}};
    plan.bytes_written = array_bytes(plan.outputs[0]);
    plan.bytes_read = needs == 0 ? 0 : job.cols * element_bytes(job.type);
    plan.scratch_bytes = std::min(chunks_of(job.cols), kMaxGroups) * partial_bytes(job.type);
    plan.predicted_ns = reduce_ns(needs, job.type, job.cols, std::max<std::uint64_t>(nodes, 1));
    return plan;
}

}  // namespace

Result<JobPlan> plan_reduce(const Job& job, const ReduceParams& params, const CpuPolicies&) {
    Result<void> checked = check_params(job, params);
    if (!checked) return std::move(checked).error();
    if (params.partial) return plan_nodes(job, params);
    const bool rows = job.axis == Axis::Rows;
    const std::uint64_t elements = job.rows * job.cols;
    const unsigned needs = reduce_needs(params, job.type);
    JobPlan plan;
    plan.outputs.reserve(static_cast<std::size_t>(__builtin_popcount(params.statistics)));
    for (const StatisticInfo& info : kStatisticInfos) {
        if (!(params.statistics & statistic_bit(info.statistic))) continue;
        plan.outputs.push_back(ArraySpec{role_of(info.statistic), statistic_type(info.statistic, job.type),
                                         rows ? job.rows : 1,
                                         static_cast<std::uint64_t>(info.values_per_row)});
        plan.bytes_written += array_bytes(plan.outputs.back());
    }
    plan.bytes_read = needs == 0 ? 0 : elements * element_bytes(job.type);
    plan.scratch_bytes =
        std::min(chunks_of(rows ? job.cols : elements), kMaxGroups) * partial_bytes(job.type);
    plan.predicted_ns = reduce_ns(needs, job.type, elements, rows ? job.rows : 1);
    return plan;
}

Result<RunReport> run_reduce(const Job& job, const ReduceParams& params, const JobPlan& plan,
                             Span<const InputView> inputs, Span<const OutputView> outputs,
                             const CpuContext& context, const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    const unsigned needs = reduce_needs(params, job.type);
    const WorkerGroup workers = group_for(context, plan.predicted_ns, stop);
    Result<void> done = visit_element_type(job.type, [&](auto element) {
        if (params.partial)
            return NodesRun<decltype(element)>(job, node_params(params, job.type), outputs[0])
                .run(inputs[0], workers);
        return Run<decltype(element)>(job, params, needs, outputs).run(inputs[0], workers);
    });
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(workers.size());
    report.policy.add("tile", kTileElements);
    if (params.partial) {
        report.filled_columns = {kReduceNodeWords};
        return report;
    }
    report.filled_columns.reserve(outputs.size());
    for (const StatisticInfo& info : kStatisticInfos)
        if (params.statistics & statistic_bit(info.statistic))
            report.filled_columns.push_back(static_cast<std::uint64_t>(info.values_per_row));
    return report;
}

}  // namespace tegu::kernels
