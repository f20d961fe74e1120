// SPDX-License-Identifier: Apache-2.0
// add: the element-by-element sum of two arrays of one type. A block of the output is a dense run of
// elements, or one run per row where rows have gaps. Non-temporal stores write large outputs and save the
// read of the replaced cache lines.
#include "kernels/add/overflow.h"

#include <limits>
#include <string>

#include "kernels/add/cpu/block.h"
#include "kernels/execution/cpu/worker_group.h"
#include "kernels/numerics/exact.h"
#include "kernels/registry.h"

namespace tegu::kernels {
namespace {

constexpr std::uint64_t kBlockBytes = 128 << 10;  // of the output, where the policy names no number

AddKernel select_kernel(ElementType type) {
    switch (type) {
#define TEGU_X(number, Name, word, type) \
    case ElementType::Name: return TEGU_ISA_SELECT(add_block_##word);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    return nullptr;
}

// Measured on one core of an x86-64 server. Admission needs only the order of magnitude.
std::uint64_t predict_ns(ElementType type, std::uint64_t elements) {
    const double bytes = static_cast<double>(elements) * static_cast<double>(element_bytes(type));
    return predicted_work_ns(150 + bytes * (type == ElementType::F16 ? 0.12 : 0.1));
}

template <class T>
Int128 exact_sum(const std::byte* x, const std::byte* y) {
    T a;
    T b;
    std::memcpy(&a, x, sizeof a);
    std::memcpy(&b, y, sizeof b);
    return static_cast<Int128>(a) + b;
}

Error overflow_of(ElementType type, std::uint64_t index, const std::byte* x, const std::byte* y) {
    return visit_element_type(type, [&](auto element) {
        using T = decltype(element);
        if constexpr (std::numeric_limits<T>::is_integer)
            return add_overflow(type, index, exact_sum<T>(x, y));
        return make_error(Status::Internal, "a sum of floats cannot fail");
    });
}

class Run {
  public:
    Run(const Job& job, Span<const InputView> inputs, std::byte* out, const CpuBlockPolicy& policy)
        : job_(job),
          inputs_(inputs),
          out_(out),
          bytes_(element_bytes(job.type)),
          block_bytes_(policy.block_bytes != 0 ? policy.block_bytes : kBlockBytes),
          kernel_(select_kernel(job.type)) {
        const auto dense = [&](const InputView& input) {
            return job.rows <= 1 || input.row_stride == job.cols;
        };
        contiguous_ = dense(inputs[0]) && dense(inputs[1]);
        stream_ = elements() * bytes_ >= kStreamBytes &&
                  (contiguous_ || job.cols * bytes_ >= kStreamRunBytes) && inputs[0].data != out &&
                  inputs[1].data != out;
    }

    bool streams() const { return stream_; }
    std::uint64_t blocks() const { return blocks_of(elements(), block_elements()); }

    Result<void> block(std::uint64_t index) const {
        const std::uint64_t begin = index * block_elements();
        const std::uint64_t count = std::min(block_elements(), elements() - begin);
        if (contiguous_) return run_of(0, begin, begin, count);
        std::uint64_t row = begin / job_.cols;
        std::uint64_t col = begin % job_.cols;
        for (std::uint64_t done = 0; done < count;) {
            const std::uint64_t width = std::min(count - done, job_.cols - col);
            Result<void> added = run_of(row, col, begin + done, width);
            if (!added) return added;
            done += width;
            col = 0;
            ++row;
        }
        return {};
    }

  private:
    std::uint64_t elements() const { return job_.rows * job_.cols; }
    std::uint64_t block_elements() const { return block_bytes_ / bytes_; }

    const std::byte* address(std::size_t input, std::uint64_t row, std::uint64_t col) const {
        return inputs_[input].data + (row * inputs_[input].row_stride + col) * bytes_;
    }

    // The `width` contiguous elements from (row, col); the first one is element `index` of the output.
    Result<void> run_of(std::uint64_t row, std::uint64_t col, std::uint64_t index,
                        std::uint64_t width) const {
        const std::byte* x = address(0, row, col);
        const std::byte* y = address(1, row, col);
        const std::size_t at = kernel_(x, y, width, stream_, out_ + index * bytes_);
        if (at == width) return {};
        return overflow_of(job_.type, index + at, x + at * bytes_, y + at * bytes_);
    }

    const Job& job_;
    Span<const InputView> inputs_;
    std::byte* out_;
    std::uint64_t bytes_;
    std::uint64_t block_bytes_;
    AddKernel kernel_;
    bool contiguous_;
    bool stream_;
};

}  // namespace

Error add_overflow(ElementType type, std::uint64_t index, Int128 sum) {
    const std::string allowed = visit_element_type(type, [](auto element) {
        using T = decltype(element);
        if constexpr (std::numeric_limits<T>::is_integer)
            return to_string(static_cast<Int128>(std::numeric_limits<T>::min())) + ".." +
                   to_string(static_cast<Int128>(std::numeric_limits<T>::max()));
        return std::string();
    });
    return field_error(Status::Overflow, "values", allowed,
                       "the sum at index " + std::to_string(index) + " is " + to_string(sum) +
                           " and does not fit " + std::string(element_word(type)));
}

Result<JobPlan> plan_add(const Job& job, const AddParams&, const CpuPolicies&) {
    if (job.axis != Axis::Whole)
        return field_error(Status::BadRequest, "axis", "0 (whole)",
                           "add works element by element, not on single rows");
    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Values, job.type, job.rows, job.cols}};
    plan.bytes_written = array_bytes(plan.outputs[0]);
    plan.bytes_read = 2 * plan.bytes_written;
    plan.predicted_ns = predict_ns(job.type, job.rows * job.cols);
    plan.in_place = true;
    return plan;
}

Result<RunReport> run_add(const Job& job, const AddParams&, const JobPlan& plan, Span<const InputView> inputs,
                          Span<const OutputView> outputs, const CpuContext& context, const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    const WorkerGroup workers = group_for(context, plan.predicted_ns, stop);
    const Run run(job, inputs, outputs[0].data, context.policies.block);
    Result<void> done =
        workers.try_run(run.blocks(), [&](std::uint64_t block, unsigned) { return run.block(block); });
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(workers.size());
    if (run.streams()) report.policy.add("store", "streaming");
    report.filled_columns = {job.cols};
    return report;
}

}  // namespace tegu::kernels
