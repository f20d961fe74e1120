// SPDX-License-Identifier: Apache-2.0
#include "kernels/fused/cuda/run_counts.h"

#include <cstring>
#include <optional>

#include "kernels/counting/cuda/count_launches.h"
#include "kernels/entropy/cuda/entropy.h"
#include "kernels/fused/cuda/bin_levels.h"
#include "kernels/fused/part.h"
#include "kernels/histogram/cuda/bin_rule.h"
#include "kernels/numerics/levels.h"
#include "kernels/statistics/cuda/batches.h"
#include "kernels/statistics/extrema.h"
#include "kernels/statistics/finish.h"

namespace tegu::cuda {
namespace {

constexpr std::uint64_t kSlowSteps = 8;  // an element near an edge costs as much as this many others
constexpr StatisticSet kPair = statistic_bit(Statistic::Minmax), kNans = statistic_bit(Statistic::Nans);
constexpr std::size_t kRangeBytes = 3 * sizeof(std::uint64_t);  // number of NaN, then both extremes

// Parameters of a part, and where its results go. Null: the job has no such part.
template <class Params>
struct Shared {
    const Params* params = nullptr;
    const FusedOutputs* part = nullptr;
    std::optional<Params> ranged;  // with the range that was found

    explicit operator bool() const { return params != nullptr; }
    const Params& own() const { return ranged ? *ranged : *params; }
};

class Run {
  public:
    Run(const JobRun& run, Span<const FusedOutputs> parts, const Context& context)
        : run_(run), job_(run.job), context_(context), input_(segments_of(run.job, run.inputs[0])) {
        for (const FusedOutputs& part : parts) {
            set(part, &reduce_);
            set(part, &histogram_);
            set(part, &entropy_);
        }
    }

    // Returns the parts that are done.
    Result<unsigned> run() {
        unsigned done = 0;
        if (needs_range()) {
            // one search for both, or one beside statistics
            if (!reduce_ && !(histogram_needs_range() && entropy_needs_range())) return done;
            const Result<bool> found = find_range();
            if (!found) return found.error();
            if (reduce_) done |= kSharedReduce;
            if (!*found) return done;
        } else if (reduce_) {
            const Result<unsigned> counted = count_beside();
            if (!counted || *counted != 0) return counted;
        }
        const Result<unsigned> counted = count();
        if (!counted) return counted;
        return done | *counted;
    }

  private:
    template <class Params>
    static void set(const FusedOutputs& part, Shared<Params>* to) {
        if (const auto* const params = std::get_if<Params>(part.part)) {
            to->params = params;
            to->part = &part;
        }
    }
    bool histogram_needs_range() const { return histogram_ && !histogram_.params->has_range; }
    bool entropy_needs_range() const {
        return entropy_ && !entropy_.params->has_range && is_float(job_.type);
    }
    bool needs_range() const { return histogram_needs_range() || entropy_needs_range(); }

    Result<void> run_alone(const FusedOutputs& part, const FusedPart& params,
                           Span<const kernels::OutputView> outputs) {
        Job job = job_;
        std::visit([&](const auto& own) { job.params = own; }, params);
        Context own = context_;
        own.policies = *part.policies;
        const Result<kernels::RunReport> done = run_part({job, {}, run_.inputs, outputs, run_.stop}, own);
        if (!done) return kernels::error_of_part(operation_of(params), done.error());
        return {};
    }

    // Makes the statistics, and the smallest and the largest element with them. Sets the ranges of the parts
    // that need one. False: the elements give none that is sure to be theirs.
    Result<bool> find_range() {
        ReduceParams params;
        params.skip_nans = true;
        if (reduce_) params = *reduce_.params;
        const StatisticSet asked = reduce_ ? params.statistics : 0;
        params.statistics = asked | kPair | kNans;
        ArrayTaker arrays(context_);
        auto* to = arrays.take_shown<std::byte>(kRangeBytes);
        const bool shown = to != nullptr;
        if (!shown) to = arrays.take<std::byte>(kRangeBytes);
        if (!arrays.done()) return arrays.done().error();
        std::vector<kernels::OutputView> outputs;
        const std::byte* asked_pair = nullptr;
        const std::byte* asked_nans = nullptr;
        std::size_t next = 0;
        for (const StatisticInfo& info : kStatisticInfos) {
            const StatisticSet bit = statistic_bit(info.statistic);
            if ((params.statistics & bit) == 0) continue;
            const bool is_pair = info.statistic == Statistic::Minmax;
            kernels::OutputView view{is_pair ? to + sizeof(std::uint64_t) : to};
            if ((asked & bit) != 0) {
                view = reduce_.part->outputs[next++];
                if (is_pair) asked_pair = view.data;
                if (info.statistic == Statistic::Nans) asked_nans = view.data;
            }
            outputs.push_back(view);
        }
        const FusedOutputs& part = *(reduce_ ? reduce_.part : histogram_.part);
        Result<void> done = run_alone(part, params, {outputs.data(), outputs.size()});
        const std::size_t bytes = 2 * element_bytes(job_.type);
        Workspace& space = *context_.workspace;
        if (done && asked_pair != nullptr) done = space.copy(to + sizeof(std::uint64_t), asked_pair, bytes);
        if (done && asked_nans != nullptr) done = space.copy(to, asked_nans, sizeof(std::uint64_t));
        if (done && shown && (asked & (kPair | kNans)) != 0) done = space.synchronize();
        std::byte found[kRangeBytes];
        if (done && !shown) done = space.read(found, to, sizeof found);
        if (!done) return std::move(done).error();
        if (shown) std::memcpy(found, to, sizeof found);
        std::uint64_t nan = 0;
        if (is_float(job_.type)) std::memcpy(&nan, found, sizeof nan);
        return set_ranges(found + sizeof nan, nan != 0);
    }

    bool set_ranges(const std::byte* found, bool nan) {
        const bool skips = !reduce_ || reduce_.params->skip_nans;
        if (nan && (!skips || (histogram_needs_range() && !histogram_.params->skip_nans))) return false;
        double lo = 0, hi = 0;
        visit_element_type(job_.type, [&](auto element) {
            decltype(element) pair[2];
            std::memcpy(pair, found, sizeof pair);
            if constexpr (std::is_same_v<decltype(element), Half>) {
                lo = static_cast<double>(half_to_float(pair[0]));
                hi = static_cast<double>(half_to_float(pair[1]));
            } else if constexpr (std::is_integral_v<decltype(element)>) {
                kernels::IntegerPartial partial{};
                partial.min = pair[0];
                partial.max = pair[1];
                const kernels::Extrema outwards = kernels::extrema_of(partial);
                lo = outwards.lo;
                hi = outwards.hi;
            } else {
                lo = static_cast<double>(pair[0]);
                hi = static_cast<double>(pair[1]);
            }
        });
        if (histogram_needs_range()) {
            if (!kernels::usable_bin_range(lo, hi, histogram_.params->bins, "")) return false;
            set_range(lo, hi, &histogram_.ranged.emplace(*histogram_.params));
        }
        // A flat array has one level; entropy makes that rule.
        const bool leveled = entropy_needs_range() && lo < hi &&
                             kernels::level_scale_of_range(job_.type, lo, hi, entropy_.params->levels, "");
        if (leveled) set_range(lo, hi, &entropy_.ranged.emplace(*entropy_.params));
        return true;
    }
    template <class Params>
    static void set_range(double lo, double hi, Params* params) {
        params->has_range = true;
        params->lo = lo;
        params->hi = hi;
    }

    // Sets the rule for the parts that share counts; returns these parts, or 0.
    unsigned choose_rule(BinLevelRule* rule) const {
        std::optional<BinRule> bins;
        if (histogram_ && histogram_.own().has_range) bins = rule_of(histogram_.own(), histogram_.own().bins);
        std::optional<LevelRule> levels;
        if (entropy_ && entropy_.own().has_range) {
            const EntropyParams& own = entropy_.own();
            const auto scale =
                kernels::level_scale_of_range(job_.type, own.lo, own.hi, own.levels, "the range");
            if (scale) levels = level_rule(*scale);
        }
        if (bins && levels && agree(job_.type, *bins, *levels)) {
            *rule = bin_level_rule(*bins, *levels);
            return kSharedHistogram | kSharedEntropy;
        }
        if (bins && bins->guess.shift != 0 && !bins->empty) {
            *rule = bin_level_rule(*bins, LevelRule{});
            return kSharedHistogram;
        }
        if (histogram_ || !levels) return 0;
        bins = rule_of(entropy_.own(), entropy_.own().levels);
        if (!bins || !agree(job_.type, *bins, *levels)) return 0;
        *rule = bin_level_rule(*bins, *levels);
        return kSharedEntropy;
    }
    template <class Params>
    std::optional<BinRule> rule_of(const Params& params, std::uint32_t bins) const {
        const Result<kernels::BinRange> range =
            kernels::usable_bin_range(params.lo, params.hi, bins, "the range");
        if (!range) return std::nullopt;
        return bin_rule(job_.type, *range, bins);
    }

    // Takes the memory of counts of levels. `counted`: the parts that get results.
    BinLevelTarget target_of(unsigned counted, ArrayTaker* arrays) {
        BinLevelTarget target{};
        if ((counted & kSharedHistogram) != 0) {
            target.counts = reinterpret_cast<std::uint64_t*>(histogram_.part->outputs[0].data);
            target.edges = reinterpret_cast<double*>(histogram_.part->outputs[1].data);
        }
        if ((counted & kSharedEntropy) != 0)
            target.levels = entropy_.params->partial
                                ? reinterpret_cast<std::uint64_t*>(entropy_.part->outputs[0].data)
                                : arrays->take<std::uint64_t>(std::uint64_t{entropy_.params->levels} + 1);
        return target;
    }
    Result<void> finish(unsigned counted, const BinLevelTarget& target) {
        Result<void> done;
        if ((counted & kSharedEntropy) != 0 && !entropy_.params->partial) {
            const EntropyParams& own = *entropy_.params;
            const LevelCounts levels{job_.type, own.levels, 1, target.levels};
            const EntropyTarget to{reinterpret_cast<double*>(entropy_.part->outputs[0].data),
                                   own.base == LogBase::E, own.skip_nans, nullptr};
            done = check_cuda(launch_entropy(levels, to, context_.stream), "entropy");
        }
        return done ? context_.workspace->synchronize() : done;
    }

    // Statistics and counts from one read, if there is a kernel for it. Returns the parts that are done.
    Result<unsigned> count_beside() {
        ReduceBins both{};
        const unsigned counted = choose_rule(&both.rule);
        const unsigned needs = kernels::reduce_needs(*reduce_.params, job_.type);
        if (counted == 0 || needs == 0 || !is_float(job_.type)) return 0u;
        const bool all = (needs & (kernels::kNeedExtrema | kernels::kNeedZeros | kernels::kNeedL1)) != 0;
        const ReduceKind kind = all ? ReduceKind::All : ReduceKind::Moments;
        Context own = context_;
        own.policies = *reduce_.part->policies;
        std::uint64_t& launch_bytes = own.policies.reduce.launch_bytes;
        launch_bytes = std::min(launch_bytes, own.policies.count.launch_bytes) / kSlowSteps;
        SegmentLaunches launches(reduce_bins_workload(job_.type, kind, input_.n, context_.limits), 0, own);
        ReduceTarget to{};
        to.n = input_.n;
        to.skip_nans = reduce_.params->skip_nans;
        to.ddof = reduce_.params->ddof;
        std::size_t next = 0;
        for (const StatisticInfo& info : kStatisticInfos)
            if ((reduce_.params->statistics & statistic_bit(info.statistic)) != 0)
                to.column[static_cast<unsigned>(info.statistic)] = reduce_.part->outputs[next++].data;
        const std::uint32_t bins = both.rule.bins.bins;
        const std::uint64_t slots = bin_level_slots(bins);
        const auto launch_of = [&](const ReduceWork& work) {
            return ReduceLaunch{job_.type, kind, input_, to, work, launches.shape()};
        };
        both.columns = reduce_bins_columns(launch_of({}), bins, context_.limits);
        if (both.columns == 0) return 0u;
        ArrayTaker arrays(context_);
        both.totals.sums = arrays.take_zeroed<std::uint64_t>(slots + 1);
        both.target = target_of(counted, &arrays);
        if (!arrays.done()) return arrays.done().error();
        both.totals.tickets = reinterpret_cast<std::uint32_t*>(both.totals.sums + slots);
        const auto launch = [&](const ReduceWork& work, const ReduceRange& range) {
            return launch_reduce_bins(launch_of(work), both, range, context_.stream);
        };
        const auto fits = [](std::uint64_t, const void*) { return Result<void>(); };
        Result<void> done =
            launches.run(input_.n * element_bytes(job_.type), "reduce and counts", run_.stop, launch, fits);
        if (done) done = finish(counted, both.target);
        if (!done) return std::move(done).error();
        return kSharedReduce | counted;
    }

    // Bins and levels from one count if they agree; else those whose range was found, each alone.
    Result<unsigned> count() {
        BinLevelRule rule{};
        if (choose_rule(&rule) == (kSharedHistogram | kSharedEntropy)) {
            const Result<unsigned> counted = count_both(rule);
            if (!counted || *counted != 0) return counted;
        }
        unsigned done = 0;
        Result<void> made;
        if (histogram_.ranged) {
            made = run_alone(*histogram_.part, *histogram_.ranged, histogram_.part->outputs);
            done |= kSharedHistogram;
        }
        // The errors of a histogram that follows come before those of an entropy.
        const bool follows = histogram_ && !histogram_.ranged;
        if (made && entropy_.ranged && !follows) {
            made = run_alone(*entropy_.part, *entropy_.ranged, entropy_.part->outputs);
            done |= kSharedEntropy;
        }
        if (!made) return std::move(made).error();
        return done;
    }
    Result<unsigned> count_both(const BinLevelRule& rule) {
        const std::size_t bytes = element_bytes(job_.type);
        const std::uint64_t slots = bin_level_slots(rule.bins.bins);
        CountPolicy policy = histogram_.part->policies->count;
        policy.launch_bytes /= kSlowSteps;
        const CountShape shape = choose_count_shape(bin_level_workload(job_.type, input_, rule.bins.bins),
                                                    policy, context_.limits);
        ArrayTaker arrays(context_);
        const CountTotals totals = take_totals(1, slots, &arrays);
        if (arrays.done() && (shape.columns == 0 || totals.sums == nullptr)) return 0u;
        const unsigned counted = kSharedHistogram | kSharedEntropy;
        const BinLevelTarget target = target_of(counted, &arrays);
        if (!arrays.done()) return arrays.done().error();
        Pace pace(context_, run_.stop);
        Result<void> done = count_in_pieces(
            {&pace, {input_, bytes, shape, {}, context_.stream, totals}, nullptr, slots}, "counts",
            [&](const CountLaunch& launch) { return launch_bin_levels(job_.type, launch, rule, target); });
        if (done) context_.workspace->counters_are_left_zero();
        if (done) done = finish(counted, target);
        if (!done) return std::move(done).error();
        return counted;
    }

    const JobRun& run_;
    const Job& job_;
    const Context& context_;
    const Segments input_;
    Shared<ReduceParams> reduce_;
    Shared<HistogramParams> histogram_;
    Shared<EntropyParams> entropy_;
};

}  // namespace

Result<unsigned> run_on_counts(const JobRun& run, Span<const FusedOutputs> parts, const Context& context) {
    const std::uint64_t n = kernels::segment_elements(run.job);
    const bool is_long = element_bytes(run.job.type) > 1 && run.job.axis == Axis::Whole && n != 0 &&
                         n >= context.policies.count.lane_elements;
    if (!is_long || parts.size() < 2) return 0u;
    return Run(run, parts, context).run();
}

}  // namespace tegu::cuda
