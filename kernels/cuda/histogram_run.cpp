// SPDX-License-Identifier: Apache-2.0
// Long sequences of bytes are counted value by value, in one read, and their 256 counters become bins. Of other elements without a range, reduce finds the
// smallest and the largest first; the host makes the ranges of it, as the CPU backend does.
#include "kernels/cuda/histogram_run.h"

#include <cstring>
#include <vector>

#include "kernels/cpu/extrema.h"
#include "kernels/cpu/histogram_scale.h"
#include "kernels/cpu/value_counter.h"
#include "kernels/cuda/histogram.h"
#include "kernels/cuda/histogram_launches.h"
#include "kernels/cuda/histogram_rule.h"
#include "kernels/cuda/reduce_run.h"

namespace tegu::cuda {
namespace {

using kernels::BinRange;
using kernels::Extrema;

constexpr std::uint64_t kValues = 256;         // of a byte
constexpr std::uint64_t kManyBytes = 1024;     // of a sequence that is counted value by value
constexpr std::uint64_t kFewSequences = 4096;  // whose values are read back where their range must be found

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
    Run(const Job& job, const HistogramParams& params, const kernels::InputView& view,
        Span<const kernels::OutputView> outputs, const Context& context, const kernels::StopToken& stop)
        : job_(job), params_(params), view_(view), context_(context), stop_(stop), bytes_(element_bytes(job.type)) {
        input_ = count_input(view.data, job.axis == Axis::Whole, job.rows, job.cols, view.row_stride);
        target_ = HistogramTarget{reinterpret_cast<std::uint64_t*>(outputs[0].data),
                                  reinterpret_cast<double*>(outputs[1].data)};
        n_ = input_.lines * input_.cols;
        by_values_ = bytes_ == 1 && n_ >= kManyBytes && (params.has_range || input_.sequences <= kFewSequences);
    }

    Result<void> run() {
        if (input_.sequences == 0) return {};
        return by_values_ ? count_values() : count_bins();
    }

    std::string policy() const {
        return " block=" + std::to_string(shape_.threads) + (by_values_ ? " method=values" : " method=bins") +
               (shape_.shared ? " counters=shared" : " counters=global") + " passes=" + (looks_first() ? "2" : "1");
    }

  private:
    bool looks_first() const { return !by_values_ && !params_.has_range && n_ != 0; }
    std::uint64_t launch_bytes() const {
        return context_.policies.count.launch_bytes * context_.limits.multiprocessors;
    }

    Result<void> count_bins() {
        if (looks_first()) {
            Result<void> looked = look();
            if (!looked) return looked;
        }
        Result<void> made = make_rules();
        if (!made) return made;
        choose(params_.bins, sizeof(BinRule), bin_table_bytes(job_.type, params_.bins));
        Result<void> zeroed = zero_counts(shape_.adds(count_segments(input_, bytes_)), target_.counts, params_.bins);
        if (!zeroed) return zeroed;
        return for_count_ranges(input_, bytes_, shape_, launch_bytes(), [&](const CountRange& range) -> Result<void> {
            if (stop_.stop_requested()) return stop_.error();
            return check_cuda(
                launch_histogram(job_.type, input_, rule_, rules_, target_, shape_, range, context_.stream),
                "histogram");
        });
    }

    Result<void> count_values() {
        choose(kValues, sizeof(std::uint32_t), 0);
        Result<void*> taken = context_.workspace->take(input_.sequences * kValues * sizeof(std::uint64_t));
        if (!taken) return std::move(taken).error();
        auto* const values = static_cast<std::uint64_t*>(*taken);
        Result<void> done = zero_counts(shape_.adds(count_segments(input_, bytes_)), values, kValues);
        if (!done) return done;
        done = for_count_ranges(input_, bytes_, shape_, launch_bytes(), [&](const CountRange& range) -> Result<void> {
            if (stop_.stop_requested()) return stop_.error();
            return check_cuda(launch_count_bytes(input_, values, shape_, range, context_.stream), "histogram of bytes");
        });
        if (!done) return done;
        if (!params_.has_range) {
            done = look_at_values(values);
            if (!done) return done;
        }
        done = make_rules();
        if (!done) return done;
        done = zero_counts(true, target_.counts, params_.bins);
        if (!done) return done;
        return check_cuda(launch_bin_bytes(values, input_.sequences, rule_, rules_, target_, context_.stream),
                          "bins of bytes");
    }

    void choose(std::uint64_t slots, std::uint64_t rule_bytes, std::uint64_t table_bytes) {
        shape_ = choose_count_shape(CountWorkload{input_, bytes_, slots, by_values_, rule_bytes, table_bytes},
                                    context_.policies.count, context_.limits);
    }

    Result<void> zero_counts(bool needed, std::uint64_t* counts, std::uint64_t slots) {
        if (!needed) return {};
        return check_cuda(zero_counters(counts, input_.sequences * slots, context_.stream), "zeroes");
    }

    // The extrema of every sequence, by reduce.
    Result<void> look() {
        ReduceParams params;
        params.statistics = statistic_bit(Statistic::Minmax) | statistic_bit(Statistic::Nans);
        params.skip_nans = true;
        Job job = job_;
        job.params = params;
        Result<void*> pairs = context_.workspace->take(input_.sequences * 2 * bytes_);
        if (!pairs) return std::move(pairs).error();
        Result<void*> nans = context_.workspace->take(input_.sequences * sizeof(std::uint64_t));
        if (!nans) return std::move(nans).error();
        const kernels::OutputView outputs[] = {{static_cast<std::byte*>(*pairs)}, {static_cast<std::byte*>(*nans)}};
        const Result<kernels::RunReport> reduced = run_reduce(job, params, {&view_, 1}, {outputs, 2}, context_, stop_);
        if (!reduced) return reduced.error();
        std::vector<std::byte> pair(input_.sequences * 2 * bytes_);
        Result<void> read = context_.workspace->read(pair.data(), *pairs, pair.size());
        if (!read) return read;
        std::vector<std::uint64_t> nan(is_float(job_.type) ? input_.sequences : 0);
        if (!nan.empty()) {
            read = context_.workspace->read(nan.data(), *nans, nan.size() * sizeof nan[0]);
            if (!read) return read;
        }
        found_.resize(input_.sequences);
        visit_element_type(job_.type, [&](auto element) {
            for (std::size_t s = 0; s < found_.size(); ++s) {
                found_[s] = extrema_of_pair<decltype(element)>(pair.data() + s * 2 * bytes_);
                found_[s].nan = !nan.empty() && nan[s] != 0;
            }
        });
        return {};
    }

    Result<void> look_at_values(const std::uint64_t* values) {
        std::vector<std::uint64_t> counts(input_.sequences * kValues);
        Result<void> read = context_.workspace->read(counts.data(), values, counts.size() * sizeof counts[0]);
        if (!read) return read;
        found_.resize(input_.sequences);
        for (std::size_t s = 0; s < found_.size(); ++s)
            found_[s] =
                kernels::extrema_of_values(job_.type, Span<const std::uint64_t>(counts.data() + s * kValues, kValues));
        return {};
    }

    // As the CPU backend chooses it.
    Result<BinRange> range_of(std::uint64_t sequence) const {
        const auto in_row = [&](Error error) {
            if (job_.axis == Axis::Rows) error.message += " in row " + std::to_string(sequence);
            return error;
        };
        const Extrema& found = found_[sequence];
        if (found.nan && !params_.skip_nans)
            return in_row(bad_range("range", "a range, or skip_nans", "the elements have no range, as one is NaN"));
        if (!found.any) return BinRange{0, 1};
        Result<BinRange> range =
            kernels::usable_bin_range(found.lo, found.hi, params_.bins, "the range of the elements");
        if (!range) return in_row(std::move(range).error());
        return range;
    }

    // One for all sequences, or one for each.
    Result<void> make_rules() {
        if (params_.has_range || n_ == 0) {
            const Result<BinRange> range =
                params_.has_range ? kernels::usable_bin_range(params_.lo, params_.hi, params_.bins, "the range")
                                  : BinRange{0, 1};
            if (!range) return range.error();
            rule_ = bin_rule(job_.type, *range, params_.bins);
            return {};
        }
        std::vector<BinRule> rules(input_.sequences);
        for (std::uint64_t s = 0; s < rules.size(); ++s) {
            const Result<BinRange> range = range_of(s);
            if (!range) return range.error();
            rules[s] = bin_rule(job_.type, *range, params_.bins);
        }
        rule_ = rules[0];
        if (rules.size() == 1) return {};
        Result<void*> taken = context_.workspace->take(rules.size() * sizeof rules[0]);
        if (!taken) return std::move(taken).error();
        rules_ = static_cast<const BinRule*>(*taken);
        return context_.workspace->write(*taken, rules.data(), rules.size() * sizeof rules[0]);
    }

    const Job& job_;
    const HistogramParams& params_;
    const kernels::InputView& view_;
    const Context& context_;
    const kernels::StopToken& stop_;
    const std::size_t bytes_;
    CountInput input_{};
    HistogramTarget target_{};
    std::uint64_t n_ = 0;
    bool by_values_ = false;
    CountShape shape_{};
    std::vector<Extrema> found_;
    BinRule rule_{};
    const BinRule* rules_ = nullptr;
};

}  // namespace

Result<kernels::RunReport> run_histogram(const Job& job, const HistogramParams& params,
                                         Span<const kernels::InputView> inputs, Span<const kernels::OutputView> outputs,
                                         const Context& context, const kernels::StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    Run run(job, params, inputs[0], outputs, context, stop);
    Result<void> done = run.run();
    if (!done) return std::move(done).error();
    done = context.workspace->synchronize();
    if (!done) return std::move(done).error();
    kernels::RunReport report = cuda_report(context);
    report.policy += run.policy();
    report.filled_columns = {params.bins, std::uint64_t{params.bins} + 1};
    return report;
}

}  // namespace tegu::cuda
