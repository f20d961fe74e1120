// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/dot_run.h"

#include "kernels/cpu/dot_chunk.h"
#include "kernels/cuda/dot.h"
#include "kernels/cuda/reduce_batches.h"
#include "kernels/dot.h"

namespace tegu::cuda {
namespace {

constexpr std::uint64_t kNone = ~std::uint64_t{0};

class Run {
  public:
    Run(const Job& job, const DotParams& params, Span<const kernels::InputView> inputs, std::byte* out,
        const Context& context)
        : job_(job), context_(context), exact_(!is_float(job.type)) {
        const bool whole = job.axis == Axis::Whole;
        sequences_ = whole ? 1 : job.rows;
        const std::uint64_t n = whole ? job.rows * job.cols : job.cols;
        const auto input = [&](const kernels::InputView& view) {
            const bool gaps = whole && job.rows > 1 && view.row_stride != job.cols;
            return ReduceInput{view.data, n, view.row_stride, gaps ? job.cols : n, view.row_stride};
        };
        inputs_ = DotInputs{input(inputs[0]), input(inputs[1]), params.skip_nans};
        work_.out = out;
        if (sequences_ != 0)
            shape_ =
                choose_reduce_shape(dot_workload(job.type, sequences_, n), context.policies.reduce, context.limits);
    }

    Result<void> run(const kernels::StopToken& stop) {
        if (sequences_ == 0) return {};
        Result<void> prepared = prepare();
        if (!prepared) return prepared;
        const std::uint64_t bytes = 2 * inputs_.x.n * element_bytes(job_.type);
        const std::uint64_t launch_bytes = context_.policies.reduce.launch_bytes * context_.limits.multiprocessors;
        return for_ranges(
            sequences_, bytes, launch_bytes, shape_, [&](const ReduceRange& range, bool ends) -> Result<void> {
                if (stop.stop_requested()) return stop.error();
                Result<void> launched =
                    check_cuda(launch_dot(job_.type, inputs_, work_, shape_, range, context_.stream), "dot");
                return launched && exact_ && ends ? check(range) : std::move(launched);
            });
    }

    const ReduceShape& shape() const { return shape_; }

  private:
    Result<void> prepare() {
        const std::uint64_t at_once = most_sequences(sequences_, shape_);
        Workspace& space = *context_.workspace;
        if (shape_.groups > 1) {
            Result<void*> partials = space.take(at_once * shape_.closing.places * kReducePartialBytes);
            if (!partials) return std::move(partials).error();
            Result<void*> tickets = space.take_zeroed(at_once * shape_.closing.tickets * sizeof(std::uint32_t));
            if (!tickets) return std::move(tickets).error();
            work_.places.partials = *partials;
            work_.places.tickets = static_cast<std::uint32_t*>(*tickets);
        }
        if (!exact_) return {};
        Result<void*> limbs = space.take(at_once * sizeof(kernels::IntegerDot));
        if (!limbs) return std::move(limbs).error();
        Result<void*> overflow = space.take(sizeof kNone);
        if (!overflow) return std::move(overflow).error();
        work_.limbs = static_cast<std::uint64_t*>(*limbs);
        work_.places.overflow = static_cast<std::uint64_t*>(*overflow);
        return space.write(*overflow, &kNone, sizeof kNone);
    }

    // The error of the first sequence of the range whose sum does not fit.
    Result<void> check(const ReduceRange& range) {
        std::uint64_t first = kNone;
        Result<void> done = context_.workspace->read(&first, work_.places.overflow, sizeof first);
        if (!done || first == kNone) return done;
        kernels::IntegerDot dot{};
        done = context_.workspace->read(&dot, work_.limbs + 3 * (first - range.first), sizeof dot);
        if (!done) return done;
        std::byte unused[sizeof(std::uint64_t)];
        Result<void> written =
            kernels::write_dot(dot, is_signed_integer(job_.type) ? ElementType::I64 : ElementType::U64, unused);
        if (written) return make_error(Status::Internal, "a sum that did not fit has changed");
        if (job_.axis == Axis::Rows) written.error().message += " in row " + std::to_string(first);
        return written;
    }

    const Job& job_;
    const Context& context_;
    const bool exact_;
    std::uint64_t sequences_ = 0;
    DotInputs inputs_{};
    DotWork work_{};
    ReduceShape shape_{};
};

}  // namespace

Result<kernels::RunReport> run_dot(const Job& job, const DotParams& params, Span<const kernels::InputView> inputs,
                                   Span<const kernels::OutputView> outputs, const Context& context,
                                   const kernels::StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    Run run(job, params, inputs, outputs[0].data, context);
    Result<void> done = run.run(stop);
    if (!done) return std::move(done).error();
    done = context.workspace->synchronize();
    if (!done) return std::move(done).error();
    kernels::RunReport report = cuda_report(context);
    report.policy +=
        " block=" + std::to_string(run.shape().threads) + " tiles=" + std::to_string(run.shape().tiles_per_warp);
    report.filled_columns = {1};
    return report;
}

}  // namespace tegu::cuda
