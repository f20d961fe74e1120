// SPDX-License-Identifier: Apache-2.0
// Runs batches of segments whose counters fit a bounded workspace. Each batch finds the range of floats where
// necessary, then counts, then computes entropies. Bytes are counted value by value; the host waits once for
// each batch.
#include <algorithm>

#include "kernels/counting/cuda/count_launches.h"
#include "kernels/counting/cuda/levels_run.h"
#include "kernels/entropy/cuda/entropy.h"
#include "kernels/numerics/levels.h"
#include "kernels/operation_cuda.h"
#include "kernels/registry.h"

namespace tegu::cuda {
namespace {

using kernels::LevelScale;

constexpr std::uint64_t kValues = 256;  // of a byte
constexpr std::uint64_t kNone = ~std::uint64_t{0};
// of a counter: as bytes read in the same time on a small board
constexpr std::uint64_t kLogarithmCost = 256;

class Run {
  public:
    Run(const JobRun& run, const EntropyParams& params, const Context& context)
        : job_(run.job),
          params_(params),
          entropy_(reinterpret_cast<double*>(run.outputs[0].data)),
          context_(context),
          pace_(context, run.stop),
          bytes_(element_bytes(run.job.type)),
          input_(segments_of(run.job, run.inputs[0])) {
        const std::uint64_t memory = (slots() + (by_values() ? kValues : 0)) * sizeof *counts_ +
                                     (finds_range() ? sizeof *bounds_ + sizeof *rules_ : 0);
        batch_ = count_batch(input_, bytes_, memory, kLogarithmCost * slots(), context.policies.count,
                             context.limits);
    }

    Result<void> run() {
        Result<void> done = prepare();
        for (std::uint64_t first = 0; done && first < input_.count; first += batch_)
            done = run_batch(input_.part(bytes_, first, std::min(batch_, input_.count - first)), first);
        if (done && totals_.sums != nullptr) context_.workspace->counters_are_left_zero();
        return done;
    }

    void describe(kernels::RunPolicy* policy) const {
        policy->add("block", shape_.threads);
        policy->add("method", by_values() ? "values" : "levels");
        policy->add("counters", shape_.columns > 1 ? "columns" : shape_.shared ? "shared" : "global");
        policy->add("passes", finds_range() ? 2u : 1u);
    }

  private:
    bool by_values() const { return bytes_ == 1; }
    bool finds_range() const { return !params_.has_range && is_float(job_.type); }
    std::uint64_t slots() const { return std::uint64_t{params_.levels} + 1; }

    Result<void> prepare() {
        if (input_.count == 0) return {};
        const std::uint64_t counted = by_values() ? kValues : slots();
        shape_ =
            choose_count_shape(CountWorkload{input_.part(bytes_, 0, batch_), bytes_, counted, by_values(),
                                             true, 0, sizeof(LevelRule), 0, false, counted * sizeof *counts_},
                               context_.policies.count, context_.limits);
        ArrayTaker arrays(context_);
        totals_ = take_totals(batch_, counted, &arrays);
        counts_ = params_.partial ? reinterpret_cast<std::uint64_t*>(entropy_)
                                  : arrays.take<std::uint64_t>(batch_ * slots());
        if (by_values()) values_ = arrays.take<std::uint64_t>(batch_ * kValues);
        if (finds_range()) bounds_ = arrays.take<FiniteBounds>(batch_);
        if (finds_range()) rules_ = arrays.take<LevelRule>(batch_);
        if (finds_range()) failed_ = arrays.take<std::uint64_t>(1);
        if (!arrays.done()) return arrays.done();
        if (finds_range()) return context_.workspace->write(failed_, &kNone, sizeof kNone);
        Result<LevelScale> scale = kernels::whole_level_scale(params_.levels);
        if (params_.has_range)
            scale =
                kernels::level_scale_of_range(job_.type, params_.lo, params_.hi, params_.levels, "the range");
        if (!scale) return scale.error();
        rule_ = level_rule(*scale);
        return {};
    }

    Result<void> run_batch(const Segments& part, std::uint64_t first) {
        if (finds_range()) {
            Result<void> found = find_ranges(part);
            if (!found) return found;
        }
        Result<void> counted = by_values() ? count_values(part) : count_levels(part);
        if (!counted || params_.partial) return counted;
        const EntropyTarget target{entropy_ + first, params_.base == LogBase::E, params_.skip_nans};
        counted = check_cuda(launch_entropy(counts_of(part), target, context_.stream), "entropy");
        return counted && finds_range() ? check_rules(first) : counted;
    }

    // Makes the rule of each segment's range, on the device.
    Result<void> find_ranges(const Segments& part) {
        Result<void> done = check_cuda(
            zero_counters(reinterpret_cast<std::uint64_t*>(bounds_), part.count * 2, context_.stream),
            "zeroes");
        if (!done) return done;
        const FiniteArrays arrays{part.data, bounds_, part.count, part.lines(), part.cols, part.stride};
        done = find_finite_bounds(job_.type, arrays, context_, &pace_);
        if (!done) return done;
        return check_cuda(launch_level_rules(counts_of(part), bounds_, {rules_, failed_}, context_.stream),
                          "levels");
    }

    // Returns the error of the first segment of the batch whose range has no rule.
    Result<void> check_rules(std::uint64_t first) {
        std::uint64_t failed = kNone;
        Result<void> read = context_.workspace->read(&failed, failed_, sizeof failed);
        if (!read || failed == kNone) return read;
        FiniteBounds bounds;
        read = context_.workspace->read(&bounds, bounds_ + failed, sizeof bounds);
        if (!read) return read;
        const auto found = finite_range_of<kernels::FiniteRange>(job_.type, bounds);
        Result<LevelScale> scale = kernels::level_scale_of_data(job_.type, found, params_.levels);
        if (scale) return make_error(Status::Internal, "a range that has no levels has changed");
        Error error = std::move(scale).error();
        return job_.axis == Axis::Rows ? kernels::in_row(std::move(error), first + failed) : error;
    }

    LevelCounts counts_of(const Segments& part) const {
        return {job_.type, params_.levels, part.count, counts_};
    }

    template <class Launch>
    Result<void> count(const Segments& part, std::uint64_t* counters, std::uint64_t slots, Launch launch) {
        return count_in_pieces(
            {&pace_, {part, bytes_, shape_, {}, context_.stream, totals_}, counters, slots}, "counts",
            launch);
    }

    Result<void> count_levels(const Segments& part) {
        return count(part, counts_, slots(), [&](const CountLaunch& launch) {
            return launch_count_levels(counts_of(part), launch, {rule_, rules_});
        });
    }

    Result<void> count_values(const Segments& part) {
        Result<void> done = count(part, values_, kValues, [&](const CountLaunch& launch) {
            return launch_count_bytes(launch, values_);
        });
        if (done) done = check_cuda(zero_counters(counts_, part.count * slots(), context_.stream), "zeroes");
        if (!done) return done;
        return check_cuda(launch_level_bytes(counts_of(part), values_, rule_, context_.stream),
                          "levels of bytes");
    }

    const Job& job_;
    const EntropyParams& params_;
    double* const entropy_;
    const Context& context_;
    Pace pace_;
    const std::size_t bytes_;
    const Segments input_;
    std::uint64_t batch_ = 1;  // segments
    CountShape shape_{};
    CountTotals totals_{};
    std::uint64_t* counts_ = nullptr;
    std::uint64_t* values_ = nullptr;
    FiniteBounds* bounds_ = nullptr;
    LevelRule rule_{};
    LevelRule* rules_ = nullptr;
    std::uint64_t* failed_ = nullptr;
};

}  // namespace

Result<kernels::RunReport> run_entropy(const JobRun& run, const EntropyParams& params,
                                       const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    Run entropy(run, params, context);
    Result<kernels::RunReport> report = report_when_done(entropy.run(), context);
    if (!report) return report;
    entropy.describe(&report->policy);
    report->filled_columns = {params.partial ? std::uint64_t{params.levels} + 1 : 1};
    return report;
}

}  // namespace tegu::cuda
