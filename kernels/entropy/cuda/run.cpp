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
    Run(const Job& job, const EntropyParams& params, const kernels::InputView& view, double* entropy,
        const Context& context, const kernels::StopToken& stop)
        : job_(job),
          params_(params),
          entropy_(entropy),
          context_(context),
          pace_(context, stop),
          bytes_(element_bytes(job.type)) {
        input_ = segments_of(job, view);
        const std::uint64_t memory = (slots() + (by_values() ? kValues : 0)) * sizeof *counts_ +
                                     (looks_first() ? sizeof *bounds_ + sizeof *rules_ : 0);
        batch_ = count_batch(input_, bytes_, memory, kLogarithmCost * slots(), context.policies.count,
                             context.limits);
    }

    Result<void> run() {
        Result<void> done = prepare();
        for (std::uint64_t first = 0; done && first < input_.count; first += batch_)
            done = run_batch(input_.part(bytes_, first, std::min(batch_, input_.count - first)), first);
        return done;
    }

    void describe(kernels::RunPolicy* policy) const {
        policy->add("block", shape_.threads);
        policy->add("method", by_values() ? "values" : "levels");
        policy->add("counters", shape_.shared ? "shared" : "global");
        policy->add("passes", looks_first() ? 2u : 1u);
    }

  private:
    bool by_values() const { return bytes_ == 1; }
    bool looks_first() const { return !params_.has_range && is_float(job_.type); }
    std::uint64_t slots() const { return std::uint64_t{params_.levels} + 1; }

    Result<void> prepare() {
        if (input_.count == 0) return {};
        const std::uint64_t counted = by_values() ? kValues : slots();
        shape_ =
            choose_count_shape(CountWorkload{input_.part(bytes_, 0, batch_), bytes_, counted, by_values(),
                                             sizeof(LevelRule), 0, false, counted * sizeof *counts_},
                               context_.policies.count, context_.limits);
        Result<void> taken = take(batch_ * slots() * sizeof *counts_, &counts_);
        if (taken && by_values()) taken = take(batch_ * kValues * sizeof *values_, &values_);
        if (taken && looks_first()) taken = take(batch_ * sizeof *bounds_, &bounds_);
        if (taken && looks_first()) taken = take(batch_ * sizeof *rules_, &rules_);
        if (taken && looks_first()) taken = take(sizeof *failed_, &failed_);
        if (taken && looks_first()) taken = context_.workspace->write(failed_, &kNone, sizeof kNone);
        if (!taken || looks_first()) return taken;
        Result<LevelScale> scale = kernels::whole_level_scale(params_.levels);
        if (params_.has_range)
            scale =
                kernels::level_scale_of_range(job_.type, params_.lo, params_.hi, params_.levels, "the range");
        if (!scale) return scale.error();
        rule_ = level_rule(*scale);
        return {};
    }

    template <class T>
    Result<void> take(std::uint64_t bytes, T** to) {
        Result<void*> taken = context_.workspace->take(bytes);
        if (!taken) return std::move(taken).error();
        *to = static_cast<T*>(*taken);
        return {};
    }

    Result<void> run_batch(const Segments& part, std::uint64_t first) {
        if (looks_first()) {
            Result<void> looked = look(part);
            if (!looked) return looked;
        }
        Result<void> counted = by_values() ? count_values(part) : count_levels(part);
        if (!counted) return counted;
        const EntropyTarget target{entropy_ + first, params_.base == LogBase::E, params_.skip_nans};
        counted = check_cuda(launch_entropy(counts_, part.count, params_.levels, target, context_.stream),
                             "entropy");
        return counted && looks_first() ? check_rules(first) : counted;
    }

    // Makes the rule of each segment's range, on the device.
    Result<void> look(const Segments& part) {
        Result<void> done = check_cuda(
            zero_counters(reinterpret_cast<std::uint64_t*>(bounds_), part.count * 2, context_.stream),
            "zeroes");
        if (!done) return done;
        const FiniteArrays arrays{part.data, bounds_, part.count, part.lines(), part.cols, part.stride};
        done = find_finite_bounds(job_.type, arrays, context_, &pace_);
        if (!done) return done;
        return check_cuda(launch_level_rules(job_.type, bounds_, part.count, params_.levels, rules_, failed_,
                                             context_.stream),
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

    template <class Launch>
    Result<void> count(const Segments& part, std::uint64_t* counters, std::uint64_t of_segment,
                       Launch launch) {
        if (shape_.adds(count_stretches(part, bytes_))) {
            Result<void> zeroed =
                check_cuda(zero_counters(counters, part.count * of_segment, context_.stream), "zeroes");
            if (!zeroed) return zeroed;
        }
        return for_count_ranges(part, bytes_, shape_, [&](const CountRange& range) -> Result<void> {
            Result<void> paced = pace_.next();
            return paced ? check_cuda(launch(range), "counts") : paced;
        });
    }

    Result<void> count_levels(const Segments& part) {
        return count(part, counts_, slots(), [&](const CountRange& range) {
            return launch_count_levels(job_.type, part, rule_, rules_, counts_, shape_, range,
                                       context_.stream);
        });
    }

    Result<void> count_values(const Segments& part) {
        Result<void> done = count(part, values_, kValues, [&](const CountRange& range) {
            return launch_count_bytes(part, values_, shape_, range, context_.stream);
        });
        if (!done) return done;
        done = check_cuda(zero_counters(counts_, part.count * slots(), context_.stream), "zeroes");
        if (!done) return done;
        return check_cuda(launch_level_bytes(job_.type, values_, part.count, rule_, counts_, context_.stream),
                          "levels of bytes");
    }

    const Job& job_;
    const EntropyParams& params_;
    double* const entropy_;
    const Context& context_;
    Pace pace_;
    const std::size_t bytes_;
    Segments input_{};
    std::uint64_t batch_ = 1;  // segments
    CountShape shape_{};
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
    Run own(run.job, params, run.inputs[0], reinterpret_cast<double*>(run.outputs[0].data), context,
            run.stop);
    Result<void> done = own.run();
    if (!done) return std::move(done).error();
    done = context.workspace->synchronize();
    if (!done) return std::move(done).error();
    kernels::RunReport report = cuda_report(context);
    own.describe(&report.policy);
    report.filled_columns = {1};
    return report;
}

}  // namespace tegu::cuda
