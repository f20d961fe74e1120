// SPDX-License-Identifier: Apache-2.0
// Long segments of bytes are counted value by value, in one read, and their 256 counters are converted to
// bins. For other elements without a range, reduce first finds the smallest and the largest, and the host
// makes the ranges, as the CPU backend does. Batches of segments bound the memory on both sides.
#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/counting/cuda/count_launches.h"
#include "kernels/counting/cuda/kept_workspace.h"
#include "kernels/execution/cuda/pace.h"
#include "kernels/histogram/cuda/bin_rule.h"
#include "kernels/histogram/cuda/histogram.h"
#include "kernels/histogram/cuda/run_partition.h"
#include "kernels/operation_cuda.h"
#include "kernels/registry.h"
#include "kernels/statistics/extrema.h"

namespace tegu::cuda {
namespace {

using kernels::BinRange;
using kernels::Extrema;

constexpr std::uint64_t kValues = 256;        // of a byte
constexpr std::uint64_t kManyBytes = 1024;    // of a segment that is counted value by value
constexpr std::uint64_t kFewSegments = 4096;  // maximum whose byte values are read back to find their range
// of a bin and its edge, as bytes read in the same time on a small board
constexpr std::uint64_t kEdgeCost = 40;

template <class T>
Extrema extrema_of_pair(const std::byte* pair) {
    T low, high;
    std::memcpy(&low, pair, sizeof low);
    std::memcpy(&high, pair + sizeof low, sizeof high);
    if constexpr (std::is_integral_v<T>) {
        kernels::IntegerPartial partial{};
        partial.min = low;
        partial.max = high;
        return kernels::extrema_of(partial);
    } else if constexpr (std::is_same_v<T, Half>) {
        const auto lo = static_cast<double>(half_to_float(low));
        return Extrema{lo == lo, false, lo, static_cast<double>(half_to_float(high))};
    } else {
        return Extrema{low == low, false, static_cast<double>(low), static_cast<double>(high)};
    }
}

class Run {
  public:
    Run(const JobRun& run, const HistogramParams& params, const Context& context)
        : job_(run.job),
          params_(params),
          context_(context),
          stop_(run.stop),
          pace_(context, run.stop),
          reduce_space_(context.workspace, context.stream),
          bytes_(element_bytes(run.job.type)),
          row_stride_(run.inputs[0].row_stride) {
        input_ = segments_of(run.job, run.inputs[0]);
        target_ = CountTarget{reinterpret_cast<std::uint64_t*>(run.outputs[0].data),
                              reinterpret_cast<double*>(run.outputs[1].data)};
        n_ = input_.n;
        by_values_ = bytes_ == 1 && n_ >= kManyBytes && (params.has_range || input_.count <= kFewSegments);
        batch_ = count_batch(input_, bytes_, batch_memory(), result_cost(), context.policies.count,
                             context.limits);
    }

    Result<void> run() {
        if (input_.count == 0) return {};
        Result<void> done = prepare();
        for (std::uint64_t first = 0; done && first < input_.count; first += batch_) {
            const Segments part = input_.part(bytes_, first, std::min(batch_, input_.count - first));
            const CountTarget target{target_.counts + first * params_.bins,
                                     target_.edges + first * (std::uint64_t{params_.bins} + 1)};
            done = by_values_ ? count_values(part, first, target) : count_bins(part, first, target);
        }
        if (done && totals_.sums != nullptr) context_.workspace->counters_are_left_zero();
        return done;
    }

    void describe(kernels::RunPolicy* policy) const {
        policy->add("block", by_buckets() ? kPartitionThreads : shape_.threads);
        policy->add("method", by_values_ ? "values" : "bins");
        policy->add("counters", by_buckets()         ? "buckets"
                                : shape_.columns > 1 ? "columns"
                                : shape_.shared      ? "shared"
                                                     : "global");
        policy->add("passes", reduces_first() ? 2u : 1u);
    }

  private:
    bool finds_range() const { return !params_.has_range && n_ != 0; }
    bool reduces_first() const { return !by_values_ && finds_range(); }
    // Whether the launch that counts values also converts them to bins.
    bool values_to_bins() const { return by_values_ && !finds_range() && totals_.sums != nullptr; }
    // Whether the bins are sorted into buckets, as their counters do not fit shared memory.
    bool by_buckets() const {
        return bucket_bits_ != 0 && (fast_ == FastBins::Exact || fast_ == FastBins::Refined);
    }
    std::uint64_t result_cost() const { return kEdgeCost * (std::uint64_t{params_.bins} + 1); }
    // Bytes of a segment in a batch, on the device or the host, whichever is larger: counts of values;
    // results and workspace of reduce; rules.
    std::uint64_t batch_memory() const {
        const std::uint64_t values = by_values_ ? kValues * sizeof(std::uint64_t) : 0;
        return values + (finds_range() ? 256 + sizeof(Extrema) + sizeof(BinRule) : 1);
    }

    Result<void> prepare() {
        if (!finds_range()) {
            const Result<BinRange> range =
                params_.has_range
                    ? kernels::usable_bin_range(params_.lo, params_.hi, params_.bins, "the range")
                    : BinRange{0, 1};
            if (!range) return range.error();
            rule_ = bin_rule(job_.type, *range, params_.bins);
        }
        ArrayTaker arrays(context_);
        totals_ = take_totals(batch_, by_values_ ? kValues : params_.bins, &arrays);
        bucket_bits_ =
            partition_bits({job_.type, input_, params_.bins}, context_.policies.count, context_.limits);
        if (bucket_bits_ != 0) {
            const Result<void> prepared =
                buckets_.prepare({job_.type, input_, params_.bins}, bucket_bits_, context_);
            if (!prepared) return prepared;
        }
        if (values_to_bins()) return arrays.done();
        if (by_values_) values_ = arrays.take<std::uint64_t>(batch_ * kValues);
        if (reduces_first()) {
            const std::uint64_t bytes = batch_ * (2 * bytes_ + sizeof *nans_);
            auto* memory = arrays.take_shown<std::byte>(bytes);
            shown_ = memory != nullptr;
            if (!shown_) memory = arrays.take<std::byte>(bytes);
            if (memory == nullptr) return arrays.done();
            nans_ = reinterpret_cast<std::uint64_t*>(memory);
            pairs_ = memory + batch_ * sizeof *nans_;
        }
        if (finds_range() && batch_ > 1) rules_ = arrays.take<BinRule>(batch_);
        return arrays.done();
    }

    Result<void> count_bins(const Segments& part, std::uint64_t first, const CountTarget& target) {
        Result<void> made = reduces_first() ? find_extrema(part) : Result<void>();
        if (made) made = make_rules(first);
        if (!made) return made;
        if (by_buckets()) return count_buckets(part, target);
        choose(part, params_.bins, sizeof(BinRule), bin_table_bytes(job_.type, params_.bins), result_cost());
        return count(part, target.counts, params_.bins, [&](const CountLaunch& launch) {
            return launch_histogram(job_.type, launch, fast_, {rule_, rules_}, target);
        });
    }

    Result<void> count_buckets(const Segments& part, const CountTarget& target) {
        Result<void> done;
        for (std::uint64_t s = 0; done && s < part.count; ++s)
            done = buckets_.count(part, s, host_rules_.empty() ? rule_ : host_rules_[s], fast_, target,
                                  context_, &pace_);
        return done;
    }

    Result<void> count_values(const Segments& part, std::uint64_t first, const CountTarget& target) {
        choose(part, kValues, sizeof(std::uint32_t), 0, kValues * sizeof *values_);
        if (values_to_bins())
            return count(part, nullptr, kValues, [&](const CountLaunch& launch) {
                return launch_histogram_bytes(launch, {rule_, nullptr}, target);
            });
        Result<void> done = count(part, values_, kValues, [&](const CountLaunch& launch) {
            return launch_count_bytes(launch, values_);
        });
        if (done && finds_range()) done = find_extrema_of_values(part.count);
        if (done) done = make_rules(first);
        if (done)
            done = check_cuda(zero_counters(target.counts, part.count * params_.bins, context_.stream),
                              "zeroes");
        if (!done) return done;
        return check_cuda(launch_bin_bytes({values_, part.count}, {rule_, rules_}, target, context_.stream),
                          "bins of bytes");
    }

    void choose(const Segments& part, std::uint64_t slots, std::uint64_t rule_bytes,
                std::uint64_t table_bytes, std::uint64_t cost) {
        shape_ = choose_count_shape(
            CountWorkload{part, bytes_, slots, by_values_, by_values_ || fast_ != FastBins::None,
                          by_values_ ? 0 : kExtraBins, rule_bytes, table_bytes, searches_, cost},
            context_.policies.count, context_.limits);
    }

    template <class Launch>
    Result<void> count(const Segments& part, std::uint64_t* counts, std::uint64_t slots, Launch launch) {
        return count_in_pieces({&pace_, {part, bytes_, shape_, {}, context_.stream, totals_}, counts, slots},
                               "histogram", launch);
    }

    // Finds the extrema of every segment with reduce.
    Result<void> find_extrema(const Segments& part) {
        ReduceParams params;
        params.statistics = statistic_bit(Statistic::Minmax) | statistic_bit(Statistic::Nans);
        params.skip_nans = true;
        Job job = job_;
        job.params = params;
        if (job_.axis == Axis::Rows) job.rows = part.count;
        Context context = context_;
        context.workspace = &reduce_space_;
        reduce_space_.rewind();
        const kernels::InputView view{static_cast<const std::byte*>(part.data), row_stride_};
        const kernels::OutputView outputs[] = {{pairs_}, {reinterpret_cast<std::byte*>(nans_)}};
        const Result<kernels::RunReport> reduced =
            run_reduce({job, {}, {&view, 1}, {outputs, 2}, stop_}, params, context);
        if (!reduced) return reduced.error();
        const std::byte *nans = reinterpret_cast<const std::byte*>(nans_), *pairs = pairs_;
        std::vector<std::byte> copy(shown_ ? 0 : batch_ * (2 * bytes_ + sizeof *nans_));
        if (!shown_) {
            const Result<void> read = context_.workspace->read(copy.data(), nans, copy.size());
            if (!read) return read;
            nans = copy.data();
            pairs = nans + batch_ * sizeof *nans_;
        }
        found_.resize(part.count);
        visit_element_type(job_.type, [&](auto element) {
            for (std::size_t s = 0; s < found_.size(); ++s) {
                found_[s] = extrema_of_pair<decltype(element)>(pairs + s * 2 * bytes_);
                std::uint64_t nan = 0;
                if (is_float(job_.type)) std::memcpy(&nan, nans + s * sizeof nan, sizeof nan);
                found_[s].nan = nan != 0;
            }
        });
        return {};
    }

    Result<void> find_extrema_of_values(std::uint64_t segments) {
        std::vector<std::uint64_t> counts(segments * kValues);
        Result<void> read =
            context_.workspace->read(counts.data(), values_, counts.size() * sizeof counts[0]);
        if (!read) return read;
        found_.resize(segments);
        for (std::size_t s = 0; s < found_.size(); ++s)
            found_[s] = kernels::extrema_of_values(
                job_.type, Span<const std::uint64_t>(counts.data() + s * kValues, kValues));
        return {};
    }

    // The range of segment `first` + s, chosen as the CPU backend chooses it.
    Result<BinRange> range_of(std::uint64_t first, std::uint64_t s) const {
        const auto named = [&](Error error) {
            return job_.axis == Axis::Rows ? kernels::in_row(std::move(error), first + s) : error;
        };
        const Extrema& found = found_[s];
        if (found.nan && !params_.skip_nans)
            return named(
                bad_range("range", "a range, or skip_nans", "the elements have no range, as one is NaN"));
        if (!found.any) return BinRange{0, 1};
        Result<BinRange> range =
            kernels::usable_bin_range(found.lo, found.hi, params_.bins, "the range of the elements");
        if (!range) return named(std::move(range).error());
        return range;
    }

    // Makes one rule for each segment of the batch from the extrema. A given range already has its rule.
    Result<void> make_rules(std::uint64_t first) {
        searches_ = rule_.search;
        fast_ = fast_bins_of(rule_);
        if (!finds_range()) return {};
        std::vector<BinRule>& rules = host_rules_;
        rules.resize(found_.size());
        searches_ = false;
        for (std::uint64_t s = 0; s < rules.size(); ++s) {
            const Result<BinRange> range = range_of(first, s);
            if (!range) return range.error();
            rules[s] = bin_rule(job_.type, *range, params_.bins);
            searches_ = searches_ || rules[s].search;
            fast_ = s == 0 ? fast_bins_of(rules[s]) : fast_bins_of(fast_, fast_bins_of(rules[s]));
        }
        rule_ = rules[0];
        return rules_ == nullptr
                   ? Result<void>()
                   : context_.workspace->write(rules_, rules.data(), rules.size() * sizeof rules[0]);
    }

    const Job& job_;
    const HistogramParams& params_;
    const Context& context_;
    const kernels::StopToken& stop_;
    Pace pace_;
    KeptWorkspace reduce_space_;
    const std::size_t bytes_;
    const std::uint64_t row_stride_;
    Segments input_{};
    CountTarget target_{};
    std::uint64_t n_ = 0;
    bool by_values_ = false;
    std::uint64_t batch_ = 1;  // segments
    CountShape shape_{};
    std::uint64_t* values_ = nullptr;
    std::byte* pairs_ = nullptr;
    std::uint64_t* nans_ = nullptr;  // then the pairs
    bool shown_ = false;             // the host reads both where they lie
    std::vector<Extrema> found_;
    BinRule rule_{};
    BinRule* rules_ = nullptr;
    bool searches_ = false;
    std::vector<BinRule> host_rules_;  // of a batch whose ranges were found
    FastBins fast_ = FastBins::None;
    unsigned bucket_bits_ = 0;
    BinPartition buckets_;
    CountTotals totals_{};
};

}  // namespace

Result<kernels::RunReport> run_histogram(const JobRun& run, const HistogramParams& params,
                                         const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    Run histogram(run, params, context);
    Result<kernels::RunReport> report = report_when_done(histogram.run(), context);
    if (!report) return report;
    histogram.describe(&report->policy);
    report->filled_columns = {params.bins, std::uint64_t{params.bins} + 1};
    return report;
}

}  // namespace tegu::cuda
