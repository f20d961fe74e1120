// SPDX-License-Identifier: Apache-2.0
// A segment is cut into chunks and groups of chunks at fixed positions; groups of a long segment and blocks
// of short rows go to the threads. Nothing here changes a bit of a result. Small jobs allocate nothing but
// their report.
#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <string>

#include "kernels/execution/cpu/block_run.h"
#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/reduce/cpu/cost.h"
#include "kernels/statistics/cpu/typed.h"

namespace tegu::kernels {
namespace {

// --- the plan

std::string statistic_words(bool (*accept)(Statistic)) {
    std::string words;
    for (const StatisticInfo& info : kStatisticInfos)
        if (accept(info.statistic)) words += (words.empty() ? "" : ", ") + std::string(info.word);
    return words;
}

unsigned needs_of(Statistic statistic, bool floating) {
    switch (statistic) {
        case Statistic::Count: return 0;
        case Statistic::Sum:
        case Statistic::Mean: return kNeedSum;
        case Statistic::Min:
        case Statistic::Max:
        case Statistic::Minmax:
        case Statistic::Argmin:
        case Statistic::Argmax:
        case Statistic::Absmax: return kNeedExtrema;
        case Statistic::L1: return kNeedL1;
        case Statistic::L2:
        case Statistic::Var:
        case Statistic::Std: return kNeedMoments;
        case Statistic::Nonzero: return kNeedZeros;
        case Statistic::Nans: return floating ? kNeedNans : 0u;
    }
    return 0;
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

// Everything a run needs besides the data: what is computed and where it goes.
template <class T>
class Run {
  public:
    using Partial = typename ReduceKernel<T>::Partial;

    Run(const Job& job, const ReduceParams& params, unsigned needs, Span<const OutputView> outputs)
        : job_(job), writer_(job, params, outputs.data()), work_{ReduceKernel<T>::select(), needs} {}

    Result<void> whole(const InputView& input, ThreadPool* pool, const StopToken& stop) const {
        return one(whole_segment(job_, input), 0, pool, stop);
    }
    Result<void> rows(const InputView& input, ThreadPool* pool, const StopToken& stop) const {
        return for_rows(job_, job_.cols * sizeof(T), pool, stop, [&](std::uint64_t r, ThreadPool* threads) {
            return one(row_segment(job_, input, r), r, threads, stop);
        });
    }

  private:
    Result<void> one(const Segment& segment, std::uint64_t row, ThreadPool* pool,
                     const StopToken& stop) const {
        Partial partial;
        if (work_.needs == 0 || segment.n == 0) {
            partial = Partial{};
        } else {
            Result<void> done = reduce_segment(work_, segment, pool, stop, &partial);
            if (!done) return done;
        }
        return writer_.write(segment, partial, row);
    }

    const Job& job_;
    const StatisticWriter<T> writer_;
    const ChunkWork<Partial> work_;
};

template <class T>
Result<void> run_typed(const Job& job, const ReduceParams& params, unsigned needs, const InputView& input,
                       Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop) {
    const Run<T> run(job, params, needs, outputs);
    return job.axis == Axis::Whole ? run.whole(input, pool, stop) : run.rows(input, pool, stop);
}

}  // namespace

unsigned reduce_needs(const ReduceParams& params, ElementType type) {
    unsigned needs = 0;
    if (is_float(type) && params.skip_nans) needs |= kSkipNans;
    for (const StatisticInfo& info : kStatisticInfos)
        if (params.statistics & statistic_bit(info.statistic))
            needs |= needs_of(info.statistic, is_float(type));
    return needs;
}

Result<JobPlan> plan_reduce(const Job& job, const ReduceParams& params, const CpuPolicies&) {
    Result<void> checked = check_params(job, params);
    if (!checked) return std::move(checked).error();
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

Result<RunReport> run_reduce(const Job& job, const ReduceParams& params, Span<const InputView> inputs,
                             Span<const OutputView> outputs, const CpuContext& context,
                             const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    const unsigned needs = reduce_needs(params, job.type);
    ThreadPool* const pool = shared_pool(
        context, [&] { return reduce_ns(needs, job.type, job.rows * job.cols, segments_of(job)); });
    Result<void> done = visit_element_type(job.type, [&](auto element) {
        return run_typed<decltype(element)>(job, params, needs, inputs[0], outputs, pool, stop);
    });
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(pool);
    report.policy += " tile=1024";
    report.filled_columns.reserve(outputs.size());
    for (const StatisticInfo& info : kStatisticInfos)
        if (params.statistics & statistic_bit(info.statistic))
            report.filled_columns.push_back(static_cast<std::uint64_t>(info.values_per_row));
    return report;
}

}  // namespace tegu::kernels
