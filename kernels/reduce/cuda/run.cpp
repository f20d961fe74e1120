// SPDX-License-Identifier: Apache-2.0
#include "kernels/execution/cuda/job_segments.h"
#include "kernels/numerics/chunk.h"
#include "kernels/operation_cuda.h"
#include "kernels/registry.h"
#include "kernels/statistics/cuda/batches.h"
#include "kernels/statistics/cuda/reduce.h"
#include "kernels/statistics/finish.h"
#include "kernels/statistics/nodes.h"

namespace tegu::cuda {
namespace {

using kernels::Int128;
using kernels::IntegerPartial;
using kernels::Uint128;

#define TEGU_X(number, Name, word, values, sentence) \
    static_assert(kColumn##Name == number, "columns have the numbers of the statistics");
TEGU_STATISTICS(TEGU_X)
#undef TEGU_X
static_assert(kReduceColumns == kStatisticCount, "a column for each statistic");
static_assert(kNodeNeedsSum == static_cast<unsigned>(kernels::kNeedSum) &&
                  kNodeNeedsL1 == static_cast<unsigned>(kernels::kNeedL1) &&
                  kNodeNeedsSquares == static_cast<unsigned>(kernels::kNeedMoments),
              "a node needs what a set of statistics needs");
static_assert(kFloatTile == kernels::kTileElements && kTilesPerChunk * kFloatTile == kernels::kChunkElements,
              "both backends have one tree");

// The smallest kernel that computes all needs. The magnitude of an unsigned integer is the integer.
ReduceKind kind_of(unsigned needs, ElementType type) {
    if ((needs & kernels::kNeedL1) && (is_float(type) || is_signed_integer(type))) return ReduceKind::All;
    const bool order = (needs & (kernels::kNeedExtrema | kernels::kNeedZeros)) != 0;
    const bool moments = (needs & kernels::kNeedMoments) != 0;
    if (order && moments) return ReduceKind::All;
    return order ? ReduceKind::Order : moments ? ReduceKind::Moments : ReduceKind::Sum;
}

IntegerPartial partial_of(const ReduceTotal& total, bool is_signed) {
    const auto wide = [](const std::uint64_t* words) {
        return static_cast<Uint128>(words[1]) << 64 | words[0];
    };
    IntegerPartial partial{};
    partial.sum = static_cast<Int128>(wide(total.sum));
    partial.l1 = is_signed ? wide(total.l1) : wide(total.sum);
    return partial;
}

// Returns whether the sum or l1 of a segment of integers may exceed 64 bits. If not, no check is needed.
bool may_overflow(const Job& job, const ReduceParams& params) {
    const std::uint64_t n = kernels::segment_elements(job);
    const bool asked =
        (params.statistics & (statistic_bit(Statistic::Sum) | statistic_bit(Statistic::L1))) != 0;
    const std::size_t bits = 8 * element_bytes(job.type);
    return !is_float(job.type) && asked && (bits >= 63 || n >> (63 - bits) != 0);
}

class Run {
  public:
    Run(const JobRun& run, const ReduceParams& params, const Context& context)
        : Run(run, params, context, kernels::reduce_needs(params, run.job.type),
              target_of(run.job, params, run.outputs), may_overflow(run.job, params)) {}
    // One node of a piece; `params`: node_params().
    Run(const JobRun& node, const ReduceParams& params, const Context& context, std::byte* to)
        : Run(node, params, context, kernels::reduce_needs(params, node.job.type),
              target_of_node(node.job, params, to), false) {}

    Result<void> run(const kernels::StopToken& stop) {
        const auto launch = [&](const ReduceWork& work, const ReduceRange& range) {
            return launch_reduce({job_.type, kind_, input_, target_, work, launches_.shape()}, range,
                                 context_.stream);
        };
        const auto overflow = [&](std::uint64_t segment, const void* total) {
            return overflow_of(segment, total);
        };
        return launches_.run(input_.n * element_bytes(job_.type), "reduce", stop, launch, overflow);
    }

    const ReduceShape& shape() const { return launches_.shape(); }

  private:
    // `exact`: results may not fit their types.
    Run(const JobRun& run, const ReduceParams& params, const Context& context, unsigned needs,
        const ReduceTarget& target, bool exact)
        : job_(run.job),
          params_(params),
          context_(context),
          kind_(kind_of(needs, job_.type)),
          input_(input_of(job_, run.inputs[0], needs != 0)),
          target_(target),
          launches_(reduce_workload(job_.type, kind_, kernels::segments_of(job_), input_.n),
                    exact ? kReducePartialBytes : 0, context) {}

    // `read`: some statistic needs the elements.
    static Segments input_of(const Job& job, const kernels::InputView& input, bool read) {
        Segments segments = segments_of(job, input);
        if (!read) segments.n = 0;
        return segments;
    }
    static ReduceTarget target_of(const Job& job, const ReduceParams& params,
                                  Span<const kernels::OutputView> outputs) {
        ReduceTarget target{};
        target.n = kernels::segment_elements(job);
        target.skip_nans = params.skip_nans;
        target.ddof = params.ddof;
        std::size_t next = 0;
        for (const StatisticInfo& info : kStatisticInfos) {
            const bool wanted = (params.statistics & statistic_bit(info.statistic)) != 0;
            target.column[static_cast<unsigned>(info.statistic)] = wanted ? outputs[next++].data : nullptr;
        }
        return target;
    }

    static ReduceTarget target_of_node(const Job& job, const ReduceParams& params, std::byte* to) {
        ReduceTarget target{};
        target.n = job.cols;
        target.skip_nans = params.skip_nans;
        const auto word = [&](unsigned at) { return to + at * sizeof(std::uint64_t); };
        kernels::for_each_node_statistic(job.type, params.statistics, [&](Statistic statistic, unsigned at) {
            target.column[static_cast<unsigned>(statistic)] = word(at);
        });
        target.node_needs = kernels::reduce_needs(params, job.type);
        if (is_float(job.type) && (target.node_needs & kernels::kNeedMoments) == 0) return target;
        const unsigned at = is_float(job.type) ? kernels::kNodeMoments : kernels::kNodeWide;
        target.node = reinterpret_cast<std::uint64_t*>(word(at));
        return target;
    }

    // The same error as that of the CPU backend.
    Result<void> overflow_of(std::uint64_t segment, const void* from) {
        ReduceTotal total;
        Result<void> read = context_.workspace->read(&total, from, sizeof total);
        if (!read) return read;
        const IntegerPartial partial = partial_of(total, is_signed_integer(job_.type));
        const kernels::FinishContext context{job_.type, target_.n, params_.skip_nans, params_.ddof, -1,
                                             -1,        0};
        for (const Statistic statistic : {Statistic::Sum, Statistic::L1}) {
            if ((params_.statistics & statistic_bit(statistic)) == 0) continue;
            std::byte unused[sizeof(std::uint64_t)];
            Result<void> written = kernels::write_statistic(statistic, context, partial, unused);
            if (written) continue;
            if (job_.axis == Axis::Rows) return kernels::in_row(std::move(written).error(), segment);
            return written;
        }
        return make_error(Status::Internal, "a total that did not fit has changed");
    }

    const Job& job_;
    const ReduceParams& params_;
    const Context& context_;
    const ReduceKind kind_;
    const Segments input_;
    const ReduceTarget target_;
    SegmentLaunches launches_;
};

// The nodes of a piece, each as a job of its own over its elements.
Result<void> run_nodes(const JobRun& run, const ReduceParams& params, const Context& context) {
    const ReduceParams own = kernels::node_params(params, run.job.type);
    const std::uint64_t nodes = node_count(params.offset, run.job.cols, params.last);
    const std::vector<std::uint64_t> zeros(nodes * kReduceNodeWords);
    std::byte* to = run.outputs[0].data;
    if (nodes == 0) return {};
    Result<void> done = context.workspace->write(to, zeros.data(), zeros.size() * sizeof zeros[0]);
    if (kernels::reduce_needs(own, run.job.type) == 0) return done;
    for_each_node(params.offset, run.job.cols, params.last, [&](std::uint64_t begin, std::uint64_t count) {
        Job job = run.job;
        job.cols = count;
        const kernels::InputView input{run.inputs[0].data + begin * element_bytes(job.type), count};
        const JobRun node{job, {}, {&input, 1}, {}, run.stop};
        if (done) done = Run(node, own, context, to).run(run.stop);
        to += kReduceNodeWords * sizeof(std::uint64_t);
    });
    return done;
}

}  // namespace

Result<kernels::RunReport> run_reduce(const JobRun& run, const ReduceParams& params, const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    if (params.partial) {
        Result<kernels::RunReport> report = report_when_done(run_nodes(run, params, context), context);
        if (report) report->filled_columns = {kReduceNodeWords};
        return report;
    }
    Run reduce(run, params, context);
    Result<kernels::RunReport> report = report_when_done(reduce.run(run.stop), context);
    if (!report) return report;
    report->policy.add("block", reduce.shape().threads);
    report->policy.add("tiles", reduce.shape().tiles_per_warp);
    for (const StatisticInfo& info : kStatisticInfos)
        if (params.statistics & statistic_bit(info.statistic))
            report->filled_columns.push_back(static_cast<std::uint64_t>(info.values_per_row));
    return report;
}

}  // namespace tegu::cuda
