// SPDX-License-Identifier: Apache-2.0
// topk: the k largest or smallest elements of a whole array or of each of its rows, with their indices, best
// first, stable. docs/numerics.md fixes the order; kernels/topk/cpu/select.h has the methods.
#include <algorithm>
#include <cstring>

#include "kernels/numerics/sort_key.h"
#include "kernels/numerics/unsigned_of.h"
#include "kernels/registry.h"
#include "kernels/selection/cpu/rows.h"
#include "kernels/topk/cpu/select.h"

namespace tegu::kernels {
namespace {

using selection::Workspace;
using topk::Method;
using topk::Problem;
using topk::Selection;
using topk::Target;

constexpr std::uint64_t kJobNs = 500;        // fixed cost of a job besides its selections
constexpr std::uint64_t kWriteTask = 65536;  // results that a thread writes at a time

Problem problem_of(const Job& job, const TopkParams& params) {
    return Problem{segment_elements(job), params.k, params.distinct, job.type,
                   key::flip_of(params.largest, is_signed_integer(job.type),
                                static_cast<unsigned>(element_bytes(job.type)))};
}

// Time of a job with this number of segments, on one thread.
std::uint64_t predict_ns(const Problem& problem, const Method& method, std::uint64_t segments) {
    std::uint64_t ns = 0;
    if (__builtin_mul_overflow(topk::predict_ns(problem, method), std::max<std::uint64_t>(segments, 1), &ns))
        return ~std::uint64_t{0};
    return std::min(ns, ~std::uint64_t{0} - kJobNs) + kJobNs;
}

template <class U, bool Float>
void write_entries(const Selection& selection, std::uint64_t begin, std::uint64_t end, std::uint64_t flip,
                   const Target& target) {
    selection.for_each(begin, end, [&](std::uint64_t i, std::uint64_t key, std::uint64_t index) {
        const U bits = key::decode<U, Float>(static_cast<U>(key), static_cast<U>(flip));
        std::memcpy(target.values + i * sizeof(U), &bits, sizeof bits);
        std::memcpy(target.indices + i * sizeof index, &index, sizeof index);
    });
}

// False if a stop was requested.
bool write(const Selection& selection, const Problem& problem, const Target& target, std::byte* counts,
           const WorkerGroup& workers) {
    const std::size_t width = element_bytes(problem.type);
    const auto write_all = visit_element_type(problem.type, [](auto element) {
        using T = decltype(element);
        return &write_entries<UnsignedBits<T>, is_float(ElementTypeOf<T>::value)>;
    });
    const bool written =
        selection.written ||
        workers.run(blocks_of(selection.count, kWriteTask), [&](std::uint64_t task, unsigned) {
            const std::uint64_t end = std::min(selection.count, (task + 1) * kWriteTask);
            write_all(selection, task * kWriteTask, end, problem.flip, target);
        });
    const std::uint64_t missing = problem.k - selection.count;
    std::memset(target.values + selection.count * width, 0, missing * width);
    // -1
    std::memset(target.indices + selection.count * sizeof(std::int64_t), 0xff,
                missing * sizeof(std::int64_t));
    if (counts != nullptr) std::memcpy(counts, &selection.count, sizeof selection.count);
    return written;
}

class Run {
  public:
    Run(const Job& job, const TopkParams& params, const Method& method, const InputView& input,
        Span<const OutputView> outputs)
        : job_(job), problem_(problem_of(job, params)), method_(method), input_(input), outputs_(outputs) {}

    Result<void> run(const WorkerGroup& workers) {
        return selection::for_selections(
            job_, method_.bytes, workers,
            [&](std::uint64_t row, unsigned, Workspace& workspace, const WorkerGroup& group) {
                return one(row, workspace, group);
            });
    }

    // The number of results of a whole array.
    std::uint64_t filled() const { return filled_; }

  private:
    Target target_of(std::uint64_t row) const {
        const std::uint64_t first = row * problem_.k;
        return Target{outputs_[0].data + first * element_bytes(job_.type),
                      outputs_[1].data + first * sizeof(std::int64_t)};
    }

    // Null without `distinct`.
    std::byte* counts_of(std::uint64_t row) const {
        return problem_.distinct ? outputs_[2].data + row * sizeof(std::uint64_t) : nullptr;
    }

    Result<void> one(std::uint64_t row, Workspace& workspace, const WorkerGroup& workers) {
        Result<Selection> selection =
            select(segment_at(job_, input_, row), problem_, method_, workspace, target_of(row), workers);
        if (!selection) return std::move(selection).error();
        if (!write(*selection, problem_, target_of(row), counts_of(row), workers))
            return workers.stop().error();
        if (job_.axis == Axis::Whole) filled_ = selection->count;
        return {};
    }

    const Job& job_;
    const Problem problem_;
    const Method& method_;
    const InputView& input_;
    Span<const OutputView> outputs_;
    std::uint64_t filled_ = 0;
};

}  // namespace

Result<JobPlan> plan_topk(const Job& job, const TopkParams& params, const CpuPolicies& policies) {
    const Problem problem = problem_of(job, params);
    const std::uint64_t rows = segments_of(job);
    if (problem.n == 0)
        return field_error(Status::EmptyInput, job.rows == 0 ? "rows" : "cols", "at least 1",
                           "topk: there are no elements to select from");
    if (params.k == 0 || params.k > problem.n)
        return bad_range("k", "1.." + std::to_string(problem.n),
                         "k is " + std::to_string(params.k) + ", and there are " + std::to_string(problem.n) +
                             " elements" + (job.axis == Axis::Rows ? " in a row" : ""));
    if (rows > (std::uint64_t{1} << 58) / params.k)
        return field_error(Status::TooLarge, "k", "rows * k up to 2^58",
                           "topk: the result is larger than any buffer");

    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Values, job.type, rows, params.k},
                    ArraySpec{ArrayRole::Indices, ElementType::I64, rows, params.k}};
    if (params.distinct) plan.outputs.push_back(ArraySpec{ArrayRole::Counts, ElementType::U64, rows, 1});
    const Method method = choose_method(problem, policies.topk.method);
    plan.bytes_read = job.rows * job.cols * element_bytes(job.type);
    for (const ArraySpec& output : plan.outputs) plan.bytes_written += array_bytes(output);
    if (rows > 0)
        plan.scratch_bytes = (method.bytes + method.more_bytes) * selection::concurrent_segments(job);
    plan.predicted_ns = predict_ns(problem, method, rows);
    plan.method.store(method);
    return plan;
}

Result<RunReport> run_topk(const Job& job, const TopkParams& params, const JobPlan& plan,
                           Span<const InputView> inputs, Span<const OutputView> outputs,
                           const CpuContext& context, const StopToken& stop) {
    const Method method = plan.method.load<Method>();
    Run run(job, params, method, inputs[0], outputs);
    const WorkerGroup workers = group_for(context, plan.predicted_ns, stop, kMaxWorkers, 0);
    Result<void> done = run.run(workers);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(selection::busy_workers(job, workers, method.workers));
    describe(method, &report.policy);
    report.filled_columns.assign(2, params.k);
    if (params.distinct) report.filled_columns.push_back(1);
    if (params.distinct && job.axis == Axis::Whole)
        report.filled_columns[0] = report.filled_columns[1] = run.filled();
    return report;
}

}  // namespace tegu::kernels
