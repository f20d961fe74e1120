// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/reduce_run.h"

#include "kernels/cpu/reduce_typed.h"
#include "kernels/cuda/reduce.h"
#include "kernels/cuda/reduce_batches.h"

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

// The least kernel that computes all needs. An unsigned integer is its own magnitude.
ReduceKind kind_of(unsigned needs, ElementType type) {
    if ((needs & kernels::kNeedL1) && (is_float(type) || is_signed_integer(type))) return ReduceKind::All;
    const bool order = (needs & (kernels::kNeedExtrema | kernels::kNeedZeros)) != 0;
    const bool moments = (needs & kernels::kNeedMoments) != 0;
    if (order && moments) return ReduceKind::All;
    return order ? ReduceKind::Order : moments ? ReduceKind::Moments : ReduceKind::Sum;
}

IntegerPartial partial_of(const ReduceTotal& total, bool is_signed) {
    const auto wide = [](const std::uint64_t* words) { return static_cast<Uint128>(words[1]) << 64 | words[0]; };
    IntegerPartial partial{};
    partial.sum = static_cast<Int128>(wide(total.sum));
    partial.l1 = is_signed ? wide(total.l1) : wide(total.sum);
    return partial;
}

class Run {
  public:
    Run(const Job& job, const ReduceParams& params, const kernels::InputView& input,
        Span<const kernels::OutputView> outputs, const Context& context)
        : job_(job), params_(params), context_(context), exact_(!is_float(job.type)) {
        const bool whole = job.axis == Axis::Whole;
        const unsigned needs = kernels::reduce_needs(params, job.type);
        kind_ = kind_of(needs, job.type);
        sequences_ = whole ? 1 : job.rows;
        const std::uint64_t n = whole ? job.rows * job.cols : job.cols;
        const bool gaps = whole && job.rows > 1 && input.row_stride != job.cols;
        const std::uint64_t read = needs == 0 ? 0 : n;
        input_ = ReduceInput{input.data, read, input.row_stride, gaps ? job.cols : read, input.row_stride};
        target_.n = n;
        target_.skip_nans = params.skip_nans;
        target_.ddof = params.ddof;
        std::size_t next = 0;
        for (const StatisticInfo& info : kStatisticInfos) {
            const bool wanted = (params.statistics & statistic_bit(info.statistic)) != 0;
            target_.column[static_cast<unsigned>(info.statistic)] = wanted ? outputs[next++].data : nullptr;
        }
        if (sequences_ != 0)
            shape_ = choose_reduce_shape(reduce_workload(job.type, kind_, sequences_, read), context.policies.reduce,
                                         context.limits);
    }

    Result<void> run(const kernels::StopToken& stop) {
        if (sequences_ == 0) return {};
        Result<void> prepared = prepare();
        if (!prepared) return prepared;
        const std::uint64_t bytes = input_.n * element_bytes(job_.type);
        return for_ranges(
            sequences_, bytes, launch_bytes(), shape_, [&](const ReduceRange& range, bool ends) -> Result<void> {
                if (stop.stop_requested()) return stop.error();
                Result<void> launched = check_cuda(
                    launch_reduce(job_.type, kind_, input_, target_, work_, shape_, range, context_.stream), "reduce");
                return launched && exact_ && ends ? finish(range) : std::move(launched);
            });
    }

    const ReduceShape& shape() const { return shape_; }

  private:
    std::uint64_t launch_bytes() const {
        return context_.policies.reduce.launch_bytes * context_.limits.multiprocessors;
    }

    Result<void> prepare() {
        const std::uint64_t at_once = most_sequences(sequences_, shape_);
        Workspace& space = *context_.workspace;
        if (shape_.groups > 1) {
            Result<void*> partials = space.take(at_once * shape_.closing.places * kReducePartialBytes);
            if (!partials) return std::move(partials).error();
            Result<void*> tickets = space.take_zeroed(at_once * shape_.closing.tickets * sizeof(std::uint32_t));
            if (!tickets) return std::move(tickets).error();
            work_.partials = *partials;
            work_.tickets = static_cast<std::uint32_t*>(*tickets);
        }
        if (!exact_) return {};
        Result<void*> totals = space.take(at_once * kReducePartialBytes);
        if (!totals) return std::move(totals).error();
        Result<void*> overflow = space.take(sizeof kNone);
        if (!overflow) return std::move(overflow).error();
        work_.totals = *totals;
        work_.overflow = static_cast<std::uint64_t*>(*overflow);
        return space.write(*overflow, &kNone, sizeof kNone);
    }

    Result<void> finish(const ReduceRange& range) {
        Result<void> done = check_cuda(
            launch_reduce_finish(job_.type, target_, work_, range.first, range.count, context_.stream), "reduce");
        if (!done) return done;
        std::uint64_t first = kNone;
        done = context_.workspace->read(&first, work_.overflow, sizeof first);
        if (!done || first == kNone) return done;
        return overflow_of(first, first - range.first);
    }

    // The error that the CPU backend gives.
    Result<void> overflow_of(std::uint64_t sequence, std::uint64_t slot) {
        ReduceTotal total;
        Result<void> read =
            context_.workspace->read(&total, static_cast<const ReduceTotal*>(work_.totals) + slot, sizeof total);
        if (!read) return read;
        const IntegerPartial partial = partial_of(total, is_signed_integer(job_.type));
        const kernels::FinishContext context{job_.type, target_.n, params_.skip_nans, params_.ddof, -1, -1, 0};
        for (const Statistic statistic : {Statistic::Sum, Statistic::L1}) {
            if ((params_.statistics & statistic_bit(statistic)) == 0) continue;
            std::byte unused[sizeof(std::uint64_t)];
            Result<void> written = kernels::write_statistic(statistic, context, partial, unused);
            if (written) continue;
            if (job_.axis == Axis::Rows) written.error().message += " in row " + std::to_string(sequence);
            return written;
        }
        return make_error(Status::Internal, "a total that did not fit has changed");
    }

    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

    const Job& job_;
    const ReduceParams& params_;
    const Context& context_;
    const bool exact_;
    ReduceKind kind_;
    std::uint64_t sequences_ = 0;
    ReduceInput input_{};
    ReduceTarget target_{};
    ReduceWork work_{};
    ReduceShape shape_{};
};

}  // namespace

Result<kernels::RunReport> run_reduce(const Job& job, const ReduceParams& params, Span<const kernels::InputView> inputs,
                                      Span<const kernels::OutputView> outputs, const Context& context,
                                      const kernels::StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    Run run(job, params, inputs[0], outputs, context);
    Result<void> done = run.run(stop);
    if (!done) return std::move(done).error();
    done = context.workspace->synchronize();
    if (!done) return std::move(done).error();
    kernels::RunReport report = cuda_report(context);
    report.policy +=
        " block=" + std::to_string(run.shape().threads) + " tiles=" + std::to_string(run.shape().tiles_per_warp);
    for (const StatisticInfo& info : kStatisticInfos)
        if (params.statistics & statistic_bit(info.statistic))
            report.filled_columns.push_back(static_cast<std::uint64_t>(info.values_per_row));
    return report;
}

}  // namespace tegu::cuda
