// SPDX-License-Identifier: Apache-2.0
#include "kernels/fused/cuda/run_values.h"

#include "kernels/counting/cuda/count_launches.h"
#include "kernels/entropy/cuda/entropy.h"
#include "kernels/fused/part.h"
#include "kernels/histogram/cuda/bin_rule.h"
#include "kernels/numerics/levels.h"
#include "kernels/statistics/cuda/bytes.h"
#include "kernels/statistics/extrema.h"

namespace tegu::cuda {
namespace {

constexpr std::uint64_t kValues = 256;
constexpr StatisticSet kPositions = statistic_bit(Statistic::Argmin) | statistic_bit(Statistic::Argmax);

class Run {
  public:
    Run(const JobRun& run, const Context& context)
        : job_(run.job),
          context_(context),
          stop_(run.stop),
          pace_(context, run.stop),
          input_(segments_of(run.job, run.inputs[0])) {}

    Result<void> count_values() {
        ArrayTaker arrays(context_);
        counts_ = arrays.take<std::uint64_t>(kValues);
        if (!arrays.done()) return arrays.done();
        CountWorkload work{};
        work.input = input_;
        work.element_bytes = 1;
        work.slots = kValues;
        work.values = true;
        work.fast = true;
        work.rule_bytes = sizeof(std::uint32_t);
        work.result_cost = kValues * sizeof *counts_;
        CountLaunch part{};
        part.input = input_;
        part.element_bytes = 1;
        part.shape = choose_count_shape(work, context_.policies.count, context_.limits);
        part.stream = context_.stream;
        return count_in_pieces({&pace_, part, counts_, kValues}, "values", [&](const CountLaunch& launch) {
            return launch_count_bytes(launch, counts_);
        });
    }

    Result<void> make(const ReduceParams& params, Span<const kernels::OutputView> outputs) {
        ArrayTaker arrays(context_);
        const ByteValues values{job_.type, input_, counts_, arrays.take_zeroed<std::uint64_t>(2)};
        if (!arrays.done()) return arrays.done();
        if ((params.statistics & kPositions) != 0) {
            // A short search need not wait for the counts: a stop then waits for both.
            const std::uint64_t piece =
                context_.policies.reduce.launch_bytes * context_.limits.multiprocessors;
            Pace own(context_, stop_);
            Pace& pace = input_.n <= piece / 4 ? own : pace_;
            const Result<void> searched =
                pace.launch(pieces_of(1, input_.n, piece), "search", [&](const Piece& part) {
                    return launch_find_bytes(values, {part.col, part.col + part.cols}, context_.limits,
                                             context_.stream);
                });
            if (!searched) return searched;
        }
        ReduceTarget target{};
        target.n = input_.n;
        target.ddof = params.ddof;
        std::size_t next = 0;
        for (const StatisticInfo& info : kStatisticInfos)
            if ((params.statistics & statistic_bit(info.statistic)) != 0)
                target.column[static_cast<unsigned>(info.statistic)] = outputs[next++].data;
        return check_cuda(launch_reduce_bytes(values, target, context_.stream), "statistics of values");
    }

    Result<void> make(const HistogramParams& params, Span<const kernels::OutputView> outputs) {
        const CountTarget target{reinterpret_cast<std::uint64_t*>(outputs[0].data),
                                 reinterpret_cast<double*>(outputs[1].data)};
        const Result<kernels::BinRange> range = range_of(params);
        if (!range) return range.error();
        const BinRule rule = bin_rule(job_.type, *range, params.bins);
        const Result<void> zeroed =
            check_cuda(zero_counters(target.counts, params.bins, context_.stream), "zeroes");
        if (!zeroed) return zeroed;
        return check_cuda(launch_bin_bytes({counts_, 1}, {rule, nullptr}, target, context_.stream),
                          "bins of values");
    }

    Result<void> make(const EntropyParams& params, Span<const kernels::OutputView> outputs) {
        const std::uint64_t slots = std::uint64_t{params.levels} + 1;
        kernels::LevelScale whole = kernels::whole_level_scale(params.levels);
        const Result<kernels::LevelScale> scale =
            params.has_range
                ? kernels::level_scale_of_range(job_.type, params.lo, params.hi, params.levels, "the range")
                : Result<kernels::LevelScale>(whole);
        if (!scale) return scale.error();
        ArrayTaker arrays(context_);
        auto* const levels = params.partial ? reinterpret_cast<std::uint64_t*>(outputs[0].data)
                                            : arrays.take<std::uint64_t>(slots);
        if (!arrays.done()) return arrays.done();
        const LevelCounts to{job_.type, params.levels, 1, levels};
        Result<void> done = check_cuda(zero_counters(levels, slots, context_.stream), "zeroes");
        if (done)
            done = check_cuda(launch_level_bytes(to, counts_, level_rule(*scale), context_.stream),
                              "levels of values");
        if (!done || params.partial) return done;
        const EntropyTarget target{reinterpret_cast<double*>(outputs[0].data), params.base == LogBase::E,
                                   params.skip_nans, nullptr};
        return check_cuda(launch_entropy(to, target, context_.stream), "entropy");
    }

    template <class Params>
    Result<void> make(const Params&, Span<const kernels::OutputView>) {
        return make_error(Status::Internal, "a part has no results from counts of values");
    }

  private:
    Result<kernels::BinRange> range_of(const HistogramParams& params) {
        if (params.has_range)
            return kernels::usable_bin_range(params.lo, params.hi, params.bins, "the range");
        std::uint64_t counts[kValues];
        const Result<void> read = context_.workspace->read(counts, counts_, sizeof counts);
        if (!read) return read.error();
        const kernels::Extrema found =
            kernels::extrema_of_values(job_.type, Span<const std::uint64_t>(counts, kValues));
        return kernels::usable_bin_range(found.lo, found.hi, params.bins, "the range of the elements");
    }

    const Job& job_;
    const Context& context_;
    const kernels::StopToken& stop_;
    Pace pace_;
    const Segments input_;
    std::uint64_t* counts_ = nullptr;
};

// The place of a part among those that share counts, as the CPU backend computes them.
unsigned rank_of(const FusedPart& part) {
    return std::holds_alternative<ReduceParams>(part)      ? 0
           : std::holds_alternative<HistogramParams>(part) ? 1
                                                           : 2;
}

}  // namespace

bool shares_values(const Job& job, Span<const FusedOutputs> parts, const CountPolicy& policy) {
    const std::uint64_t n = kernels::segment_elements(job);
    return element_bytes(job.type) == 1 && job.axis == Axis::Whole && parts.size() > 1 && n != 0 &&
           n >= policy.lane_elements;
}

Result<void> run_on_values(const JobRun& run, Span<const FusedOutputs> parts, const Context& context) {
    Run on(run, context);
    Result<void> done = on.count_values();
    if (!done) return done;
    for (unsigned rank = 0; rank < 3; ++rank)
        for (const FusedOutputs& part : parts) {
            if (rank_of(*part.part) != rank) continue;
            done = std::visit([&](const auto& params) { return on.make(params, part.outputs); }, *part.part);
            if (!done) return kernels::error_of_part(operation_of(*part.part), std::move(done).error());
        }
    return context.workspace->synchronize();
}

}  // namespace tegu::cuda
