// SPDX-License-Identifier: Apache-2.0
// rowscale: each row, or the whole array as one, divided by its largest magnitude. Short rows are processed
// in blocks, so that a row is read from memory once. For a longer segment, all blocks first give the scale;
// then they are divided, the last block first, because the caches still hold it.
#include <atomic>
#include <string>

#include "kernels/execution/cpu/worker_group.h"
#include "kernels/registry.h"
#include "kernels/rowscale/cpu/rows.h"

namespace tegu::kernels {
namespace {

constexpr std::uint64_t kBlockBytes = 256 << 10;  // of the input: stays in a cache between the two steps
constexpr std::uint64_t kLongRowBytes = 2 << 20;  // rows from this size on are divided among the threads

// Measured on one core of an x86-64 server. Admission needs only the order of magnitude.
std::uint64_t predict_ns(const Job& job) {
    const double element_ns =
        static_cast<double>(element_bytes(job.type)) * 0.06 + (job.type == ElementType::F16 ? 0.05 : 0);
    const double elements = static_cast<double>(job.rows) * static_cast<double>(job.cols);
    return predicted_work_ns(150 + 15 * static_cast<double>(segments_of(job)) + element_ns * elements);
}

const RowscaleKernels& select_kernels(ElementType type) {
    if (type == ElementType::F16) return *TEGU_ISA_SELECT(rowscale_f16);
    if (type == ElementType::F32) return *TEGU_ISA_SELECT(rowscale_f32);
    return *TEGU_ISA_SELECT(rowscale_f64);
}

// Rows of the input with a common scale: one row, or all of them.
struct Part {
    const std::byte* x;
    std::uint64_t row_stride;
    std::uint64_t cols;
    std::uint64_t n;  // a multiple of cols
    std::byte* values;
    std::byte* scale;
};

class Run {
  public:
    Run(const Job& job, const RowscaleParams& params, const InputView& input, Span<const OutputView> outputs,
        const CpuBlockPolicy& policy)
        : job_(job),
          skip_nans_(params.skip_nans),
          input_(input),
          values_(outputs[0].data),
          scales_(outputs[1].data),
          bytes_(element_bytes(job.type)),
          block_bytes_(policy.block_bytes != 0 ? policy.block_bytes : kBlockBytes),
          kernels_(select_kernels(job.type)),
          stream_(job.rows * job.cols * bytes_ >= kStreamBytes && input.data != outputs[0].data) {}

    bool streams() const { return stream_; }

    Result<void> whole(const WorkerGroup& workers) const {
        const std::uint64_t n = job_.rows * job_.cols;
        const bool dense = job_.rows <= 1 || input_.row_stride == job_.cols;
        return part(Part{input_.data, input_.row_stride, dense ? std::max<std::uint64_t>(n, 1) : job_.cols, n,
                         values_, scales_},
                    workers);
    }

    // All threads share each row.
    Result<void> long_rows(const WorkerGroup& workers) const {
        for (std::uint64_t r = 0; r < job_.rows; ++r) {
            Result<void> done = long_row(r, workers);
            if (!done) return done;
        }
        return {};
    }

    // Each thread takes blocks of rows.
    Result<void> short_rows(const WorkerGroup& workers) const {
        const std::uint64_t row_bytes = job_.cols * bytes_;
        if (row_bytes > block_bytes_)
            return workers.try_run(job_.rows, [&](std::uint64_t r, unsigned worker) {
                return long_row(r, workers.alone(worker));
            });
        const std::uint64_t block = block_bytes_ / std::max(row_bytes, bytes_);
        const bool done = workers.run(blocks_of(job_.rows, block), [&](std::uint64_t b, unsigned) {
            rows(b * block, std::min((b + 1) * block, job_.rows));
            return true;
        });
        if (!done) return workers.stop().error();
        return {};
    }

  private:
    void rows(std::uint64_t begin, std::uint64_t end) const {
        const std::uint64_t row_bytes = input_.row_stride * bytes_;
        const std::byte* x = job_.cols == 0 ? input_.data : input_.data + begin * row_bytes;
        kernels_.rows(RowscaleRows{x, job_.cols == 0 ? 0 : row_bytes, end - begin, job_.cols, skip_nans_,
                                   stream_, values_ + begin * job_.cols * bytes_, scales_ + begin * bytes_});
    }

    Result<void> long_row(std::uint64_t r, const WorkerGroup& workers) const {
        return part(Part{input_.data + r * input_.row_stride * bytes_, job_.cols, job_.cols, job_.cols,
                         values_ + r * job_.cols * bytes_, scales_ + r * bytes_},
                    workers);
    }

    // Calls visit(x, count, index) for the contiguous runs of a block of the part.
    template <class Visit>
    void runs(const Part& p, std::uint64_t block, const Visit& visit) const {
        const std::uint64_t elements = block_bytes_ / bytes_;
        std::uint64_t index = block * elements;
        const std::uint64_t end = std::min(index + elements, p.n);
        std::uint64_t row = index / p.cols;
        std::uint64_t col = index % p.cols;
        while (index < end) {
            const std::uint64_t width = std::min(end - index, p.cols - col);
            visit(p.x + (row * p.row_stride + col) * bytes_, width, index);
            index += width;
            col = 0;
            ++row;
        }
    }

    Result<void> part(const Part& p, const WorkerGroup& workers) const {
        const std::uint64_t blocks = blocks_of(p.n * bytes_, block_bytes_);
        std::atomic<std::uint64_t> scale{0};  // the bits of the canonical NaN are above those of all others
        const bool found = workers.run(blocks, [&](std::uint64_t b, unsigned) {
            std::uint64_t largest = 0;
            runs(p, b, [&](const std::byte* x, std::uint64_t count, std::uint64_t) {
                largest = std::max(largest, kernels_.largest(x, count, skip_nans_));
            });
            std::uint64_t seen = scale.load(std::memory_order_relaxed);
            while (seen < largest && !scale.compare_exchange_weak(seen, largest, std::memory_order_relaxed)) {
            }
            return true;
        });
        if (!found) return workers.stop().error();
        const std::uint64_t bits = scale.load(std::memory_order_relaxed);
        std::memcpy(p.scale, &bits, bytes_);  // little-endian: the low bytes are the element
        const bool divided = workers.run(blocks, [&](std::uint64_t b, unsigned) {
            runs(p, blocks - 1 - b, [&](const std::byte* x, std::uint64_t count, std::uint64_t index) {
                kernels_.divide(x, count, bits, stream_ && count * bytes_ >= kStreamRunBytes,
                                p.values + index * bytes_);
            });
            return true;
        });
        if (!divided) return workers.stop().error();
        return {};
    }

    const Job& job_;
    bool skip_nans_;
    const InputView& input_;
    std::byte* values_;
    std::byte* scales_;
    std::uint64_t bytes_;
    std::uint64_t block_bytes_;
    const RowscaleKernels& kernels_;
    bool stream_;
};

}  // namespace

Result<JobPlan> plan_rowscale(const Job& job, const RowscaleParams&, const CpuPolicies&) {
    if (!is_float(job.type))
        return field_error(Status::Unsupported, "type", "f16, f32, f64",
                           "rowscale does not take " + std::string(element_word(job.type)) +
                               ": quotients of integers have no place in an array of integers");
    const std::uint64_t segments = segments_of(job);
    if (segments > kMaxOutputRows)
        return field_error(Status::TooLarge, "rows", "up to 2^56",
                           "a scale for each of " + std::to_string(job.rows) + " rows is too large");
    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Values, job.type, job.rows, job.cols},
                    ArraySpec{ArrayRole::Scales, job.type, segments, 1}};
    plan.bytes_read = array_bytes(plan.outputs[0]);
    plan.bytes_written = plan.bytes_read + array_bytes(plan.outputs[1]);
    plan.predicted_ns = predict_ns(job);
    plan.in_place = true;
    return plan;
}

Result<RunReport> run_rowscale(const Job& job, const RowscaleParams& params, const JobPlan& plan,
                               Span<const InputView> inputs, Span<const OutputView> outputs,
                               const CpuContext& context, const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    const WorkerGroup workers = group_for(context, plan.predicted_ns, stop);
    const Run run(job, params, inputs[0], outputs, context.policies.block);
    const bool enough_rows = workers.size() == 1 || job.rows >= 4 * std::uint64_t{workers.size()};
    const bool long_rows = job.cols * element_bytes(job.type) > kLongRowBytes;
    Result<void> done = job.axis == Axis::Whole     ? run.whole(workers)
                        : enough_rows || !long_rows ? run.short_rows(workers)
                                                    : run.long_rows(workers);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(workers.size());
    if (run.streams()) report.policy.add("store", "streaming");
    report.filled_columns = {job.cols, 1};
    return report;
}

}  // namespace tegu::kernels
