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
// of a row that a warp counts alone, and of each of its levels
constexpr std::uint64_t kRowCost = 16 << 10, kLevelCost = 4;
constexpr std::uint64_t kWarpsForRows = 16;  // of a multiprocessor: fewer rows leave it idle

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
        if (by_rows()) return run_rows();
        Result<void> done = prepare();
        for (std::uint64_t first = 0; done && first < input_.count; first += batch_)
            done = run_batch(input_.part(bytes_, first, std::min(batch_, input_.count - first)), first);
        if (done && totals_.sums != nullptr) context_.workspace->counters_are_left_zero();
        return done;
    }

    void describe(kernels::RunPolicy* policy) const {
        policy->add("block", by_rows() ? kEntropyRowThreads : shape_.threads);
        policy->add("method", by_values() ? "values" : by_rows() ? "rows" : "levels");
        policy->add("counters", shape_.columns > 1           ? "columns"
                                : by_rows() || shape_.shared ? "shared"
                                                             : "global");
        policy->add("passes", finds_range() ? 2u : 1u);
    }

  private:
    bool by_values() const { return bytes_ == 1; }
    // Whether the launch that counts values also converts them to levels.
    bool values_to_levels() const { return by_values() && totals_.sums != nullptr; }
    // Many short rows: a warp each.
    bool by_rows() const {
        const std::uint64_t warps = context_.limits.multiprocessors * kWarpsForRows;
        return !by_values() && !params_.partial && input_.count >= warps && input_.lines() == 1 &&
               input_.n <= kMaxRowElements && params_.levels <= kMaxRowLevels;
    }
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
        if (by_values() && !values_to_levels()) values_ = arrays.take<std::uint64_t>(batch_ * kValues);
        if (finds_range()) bounds_ = arrays.take<FiniteBounds>(batch_);
        if (finds_range()) rules_ = arrays.take<LevelRule>(batch_);
        if (finds_range()) failed_ = arrays.take<std::uint64_t>(1);
        if (batch_ == 1 && params_.levels > kFewLevels && !params_.partial && !by_values())
            work_ = arrays.take_zeroed<std::uint64_t>(kEntropyWorkWords);
        if (!arrays.done()) return arrays.done();
        if (finds_range()) return context_.workspace->write(failed_, &kNone, sizeof kNone);
        return make_rule();
    }

    // The rule of all segments; with a range to be found, the number of levels alone.
    Result<void> make_rule() {
        if (finds_range()) {
            rule_.levels = params_.levels;
            return {};
        }
        Result<LevelScale> scale = kernels::whole_level_scale(params_.levels);
        if (params_.has_range)
            scale =
                kernels::level_scale_of_range(job_.type, params_.lo, params_.hi, params_.levels, "the range");
        if (!scale) return scale.error();
        rule_ = level_rule(*scale);
        return {};
    }

    Result<void> run_rows() {
        ArrayTaker arrays(context_);
        auto* const logs = arrays.take<std::uint64_t>(input_.n + 1);
        failed_ = arrays.take<std::uint64_t>(1);
        bounds_ = arrays.take<FiniteBounds>(1);
        Result<void> done = arrays.done();
        if (done) done = make_rule();
        if (done) done = check_cuda(launch_fixed_logs(logs, input_.n + 1, context_.stream), "logarithms");
        if (done && finds_range()) done = context_.workspace->write(failed_, &kNone, sizeof kNone);
        if (!done) return done;
        const std::uint64_t cost =
            2 * input_.n * std::max<std::uint64_t>(bytes_, 4) + kLevelCost * params_.levels + kRowCost;
        const std::uint64_t launch_bytes =
            context_.policies.count.launch_bytes * context_.limits.multiprocessors;
        done = pace_.launch(
            pieces_of(input_.count, launch_bytes / cost), "entropy of rows", [&](const Piece& piece) {
                const EntropyRows rows{
                    input_,     piece.row,
                    piece.rows, finds_range(),
                    rule_,      logs,
                    failed_,    {entropy_, params_.base == LogBase::E, params_.skip_nans, nullptr}};
                return launch_entropy_rows(job_.type, rows, context_.limits, context_.stream);
            });
        return done && finds_range() ? check_rows() : done;
    }

    // Returns the error of the first row whose range has no rule.
    Result<void> check_rows() {
        std::uint64_t failed = kNone;
        Result<void> read = context_.workspace->read(&failed, failed_, sizeof failed);
        if (!read || failed == kNone) return read;
        const Segments row = input_.part(bytes_, failed, 1);
        Result<void> found = find_bounds(row);
        return found ? range_error(bounds_, failed) : found;
    }

    Result<void> run_batch(const Segments& part, std::uint64_t first) {
        if (finds_range()) {
            Result<void> found = find_ranges(part);
            if (!found) return found;
        }
        Result<void> counted = by_values() ? count_values(part) : count_levels(part);
        if (!counted || params_.partial) return counted;
        const EntropyTarget target{entropy_ + first, params_.base == LogBase::E, params_.skip_nans, work_};
        counted = check_cuda(launch_entropy(counts_of(part), target, context_.stream), "entropy");
        return counted && finds_range() ? check_rules(first) : counted;
    }

    // Finds the smallest and the largest finite element of each segment.
    Result<void> find_bounds(const Segments& part) {
        Result<void> done = check_cuda(
            zero_counters(reinterpret_cast<std::uint64_t*>(bounds_), part.count * 2, context_.stream),
            "zeroes");
        if (!done) return done;
        const FiniteArrays arrays{part.data, bounds_, part.count, part.lines(), part.cols, part.stride};
        return find_finite_bounds(job_.type, arrays, context_, &pace_);
    }

    // Makes the rule of each segment's range, on the device.
    Result<void> find_ranges(const Segments& part) {
        Result<void> done = find_bounds(part);
        if (!done) return done;
        return check_cuda(launch_level_rules(counts_of(part), bounds_, {rules_, failed_}, context_.stream),
                          "levels");
    }

    // Returns the error of the first segment of the batch whose range has no rule.
    Result<void> check_rules(std::uint64_t first) {
        std::uint64_t failed = kNone;
        Result<void> read = context_.workspace->read(&failed, failed_, sizeof failed);
        if (!read || failed == kNone) return read;
        return range_error(bounds_ + failed, first + failed);
    }

    // The error of a segment that has no rule. `at`: its bounds, on the device.
    Result<void> range_error(const FiniteBounds* at, std::uint64_t segment) {
        FiniteBounds bounds;
        Result<void> read = context_.workspace->read(&bounds, at, sizeof bounds);
        if (!read) return read;
        const auto found = finite_range_of<kernels::FiniteRange>(job_.type, bounds);
        Result<LevelScale> scale = kernels::level_scale_of_data(job_.type, found, params_.levels);
        if (scale) return make_error(Status::Internal, "a range that has no levels has changed");
        Error error = std::move(scale).error();
        return job_.axis == Axis::Rows ? kernels::in_row(std::move(error), segment) : error;
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
        if (values_to_levels())
            return count(part, nullptr, kValues, [&](const CountLaunch& launch) {
                return launch_count_byte_levels(counts_of(part), launch, rule_);
            });
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
    std::uint64_t* work_ = nullptr;  // of many levels
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
