// SPDX-License-Identifier: Apache-2.0
// Top-k of whole buffers and of rows: what is refused, what comes out, and how a job is cut into selections.
// One segment is selected by all threads together; many short rows are dealt out, one thread a row.
// kernels/topk/cpu/select.h has the selection.
#include "kernels/topk/topk.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "kernels/execution/cpu/block_run.h"
#include "kernels/numerics/sort_key.h"
#include "kernels/topk/cpu/select.h"

namespace tegu::kernels {
namespace {

using selection::StridedSegment;
using selection::Team;
using selection::Workspace;
using topk::Method;
using topk::Problem;
using topk::Selection;
using topk::Target;

constexpr std::uint64_t kJobNs = 500;         // what a job costs beside its selections
constexpr std::uint64_t kWriteTask = 65536;   // results that a thread writes at a time
constexpr std::uint64_t kLongRow = 1u << 17;  // elements from which the threads share one row

Problem problem_of(const Job& job, const TopkParams& params) {
    const bool whole = job.axis == Axis::Whole;
    return Problem{whole ? job.rows * job.cols : job.cols, params.k, params.distinct, job.type,
                   key::flip_of(params.largest, is_signed_integer(job.type),
                                static_cast<unsigned>(element_bytes(job.type)))};
}

// Of a job of so many segments, on one thread.
std::uint64_t predict_ns(const Problem& problem, const Method& method, std::uint64_t segments) {
    std::uint64_t ns = 0;
    if (__builtin_mul_overflow(topk::predict_ns(problem, method), std::max<std::uint64_t>(segments, 1), &ns))
        return ~std::uint64_t{0};
    return std::min(ns, ~std::uint64_t{0} - kJobNs) + kJobNs;
}

// Rows that are selected at the same time, each by one thread with its own workspace.
std::uint64_t concurrent_rows(const Job& job, const Problem& problem) {
    if (job.axis == Axis::Whole || problem.n >= kLongRow) return 1;
    return std::clamp<std::uint64_t>(job.rows, 1, selection::kMaxSlots);
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
           const Team& team) {
    const bool floating = is_float(problem.type);
    const std::size_t width = element_bytes(problem.type);
    const auto write_all = width == 1               ? write_entries<std::uint8_t, false>
                           : width == 2 && floating ? write_entries<std::uint16_t, true>
                           : width == 2             ? write_entries<std::uint16_t, false>
                           : width == 4 && floating ? write_entries<std::uint32_t, true>
                           : width == 4             ? write_entries<std::uint32_t, false>
                           : floating               ? write_entries<std::uint64_t, true>
                                                    : write_entries<std::uint64_t, false>;
    const bool written =
        selection.written ||
        team.run((selection.count + kWriteTask - 1) / kWriteTask, [&](std::uint64_t task, unsigned) {
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
    Run(const Job& job, const TopkParams& params, const InputView& input, Span<const OutputView> outputs,
        CpuTopkMethod wanted)
        : job_(job),
          problem_(problem_of(job, params)),
          method_(choose_method(problem_, wanted)),
          input_(input),
          outputs_(outputs) {}

    const Problem& problem() const { return problem_; }
    const Method& method() const { return method_; }

    Result<void> whole(const Team& team) {
        return one(StridedSegment{input_.data, job_.rows, job_.cols, input_.row_stride, width()}, 0, team);
    }

    Result<void> long_rows(const Team& team) {
        for (std::uint64_t row = 0; row < job_.rows; ++row) {
            Result<void> done = one(row_of(row), row, team);
            if (!done) return done;
        }
        return {};
    }

    // Each slot takes bunches of rows.
    Result<void> short_rows(const Team& team) {
        if (job_.rows == 0) return {};
        const std::uint64_t bunch = rows_of_bunch();
        std::vector<Workspace> workspaces(
            std::min<std::uint64_t>(team.slots(), concurrent_rows(job_, problem_)));
        for (Workspace& workspace : workspaces) {
            Result<Workspace> made = Workspace::create(method_.bytes);
            if (!made) return std::move(made).error();
            workspace = std::move(*made);
        }
        const Team alone = team.alone();
        FirstError failed;
        const bool done = team.run(bunches(), [&](std::uint64_t task, unsigned slot) {
            const std::uint64_t end = std::min(job_.rows, (task + 1) * bunch);
            for (std::uint64_t row = task * bunch; row < end; ++row) {
                Result<Selection> selection =
                    select(row_of(row), problem_, method_, workspaces[slot], target_of(row), alone);
                if (!selection) return failed.keep(row, std::move(selection).error());
                write(*selection, problem_, target_of(row), counts_of(row), alone);
            }
        });
        if (!done) return team.stop().error();
        return failed.result();
    }

    std::uint64_t filled() const { return filled_; }

    // That the rows were divided among, or each of them.
    unsigned threads(const Team& team) const {
        const bool short_rows = job_.axis == Axis::Rows && problem_.n < kLongRow;
        const std::uint64_t parts = short_rows ? std::max<std::uint64_t>(bunches(), 1) : method_.slots;
        return static_cast<unsigned>(std::min<std::uint64_t>(team.slots(), parts));
    }

  private:
    // A bunch of rows is worth about a tenth of a millisecond.
    std::uint64_t rows_of_bunch() const {
        return std::max<std::uint64_t>(1, 16384 / std::max<std::uint64_t>(1, job_.cols));
    }
    std::uint64_t bunches() const { return (job_.rows + rows_of_bunch() - 1) / rows_of_bunch(); }

    unsigned width() const { return static_cast<unsigned>(element_bytes(job_.type)); }

    StridedSegment row_of(std::uint64_t row) const {
        return StridedSegment{input_.data + row * input_.row_stride * width(), 1, job_.cols, job_.cols,
                              width()};
    }

    Target target_of(std::uint64_t row) const {
        const std::uint64_t first = row * problem_.k;
        return Target{outputs_[0].data + first * width(), outputs_[1].data + first * sizeof(std::int64_t)};
    }

    // Null without `distinct`.
    std::byte* counts_of(std::uint64_t row) const {
        return problem_.distinct ? outputs_[2].data + row * sizeof(std::uint64_t) : nullptr;
    }

    Result<void> one(const StridedSegment& segment, std::uint64_t row, const Team& team) {
        if (workspace_.memory() == nullptr) {
            Result<Workspace> made = Workspace::create(method_.bytes);
            if (!made) return std::move(made).error();
            workspace_ = std::move(*made);
        }
        Result<Selection> selection = select(segment, problem_, method_, workspace_, target_of(row), team);
        if (!selection) return std::move(selection).error();
        if (!write(*selection, problem_, target_of(row), counts_of(row), team)) return team.stop().error();
        filled_ = selection->count;
        return {};
    }

    const Job& job_;
    const Problem problem_;
    const Method method_;
    const InputView& input_;
    Span<const OutputView> outputs_;
    Workspace workspace_;
    std::uint64_t filled_ = 0;
};

}  // namespace

Result<JobPlan> plan_topk(const Job& job, const TopkParams& params, const CpuPolicies& policies) {
    const Problem problem = problem_of(job, params);
    const std::uint64_t rows = job.axis == Axis::Whole ? 1 : job.rows;
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
    if (rows > 0) plan.scratch_bytes = (method.bytes + method.more_bytes) * concurrent_rows(job, problem);
    plan.predicted_ns = predict_ns(problem, method, rows);
    return plan;
}

Result<RunReport> run_topk(const Job& job, const TopkParams& params, Span<const InputView> inputs,
                           Span<const OutputView> outputs, const CpuContext& context, const StopToken& stop) {
    Run run(job, params, inputs[0], outputs, context.policies.topk.method);
    const Team team(context.pool_for(predict_ns(run.problem(), run.method(), segments_of(job)), 0), stop);
    const bool long_rows = run.problem().n >= kLongRow;
    Result<void> done = job.axis == Axis::Whole ? run.whole(team)
                        : long_rows             ? run.long_rows(team)
                                                : run.short_rows(team);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(run.threads(team));
    report.policy += " " + topk::describe(run.method());
    report.filled_columns.assign(2, params.k);
    if (params.distinct) report.filled_columns.push_back(1);
    if (params.distinct && job.axis == Axis::Whole)
        report.filled_columns[0] = report.filled_columns[1] = run.filled();
    return report;
}

}  // namespace tegu::kernels
