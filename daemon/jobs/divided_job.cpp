// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/divided_job.h"

#include <algorithm>
#include <cstring>

namespace tegu::daemon {
namespace {

// Pieces of a whole array for each GPU: their sizes are powers of two, so few pieces would be uneven.
constexpr unsigned kPiecesOfAWhole = 4;

bool is_stop(const Error& error) {
    return error.status == Status::Cancelled || error.status == Status::DeadlineExceeded;
}

// Encodes the reply of a job that other runners computed.
class JoinedReply final : public JobRunner {
  public:
    using Fill = std::function<Result<void>(std::byte* base, Span<const kernels::OutputView> outputs)>;
    JoinedReply(Fill fill, const RunCost& cost, kernels::RunPolicy policy)
        : JobRunner(nullptr), fill_(std::move(fill)), cost_(cost), policy_(std::move(policy)) {}

  private:
    Result<kernels::RunReport> compute(const PreparedJob& prepared, std::byte* base,
                                       Span<const kernels::OutputView> outputs, const kernels::StopToken&,
                                       RunCost& cost) override {
        cost = cost_;
        Result<void> filled = fill_(base, outputs);
        if (!filled) return std::move(filled).error();
        kernels::RunReport report;
        report.policy = policy_;
        for (const ArraySpec& spec : prepared.plan.outputs) report.filled_columns.push_back(spec.cols);
        return report;
    }
    wire::Backend backend() const override { return wire::Backend::Gpu; }

    Fill fill_;
    RunCost cost_;
    kernels::RunPolicy policy_;
};

}  // namespace

// A job that splits in two also splits in more pieces.
bool DividedJob::can_divide(const PreparedJob& whole) {
    return whole.input_count == 1 && whole.uses[0].buffer() != nullptr && !whole.in_place &&
           split::split_job(whole.job, whole.inputs[0].view, 2).has_value();
}

std::shared_ptr<DividedJob> DividedJob::create(const PreparedJob& whole, unsigned gpus) {
    const kernels::InputView& input = whole.inputs[0].view;
    std::optional<split::JobSplit> pieces = split::split_job(whole.job, input, gpus);
    if (!pieces->by_rows) pieces = split::split_job(whole.job, input, gpus * kPiecesOfAWhole);
    return std::shared_ptr<DividedJob>(new DividedJob(std::move(*pieces), gpus));
}

// The next piece goes to the GPU with the least work.
std::vector<DividedJob::Piece> DividedJob::make_pieces(const std::shared_ptr<JobTask>& whole) {
    const PreparedJob& prepared = whole->prepared;
    if (!prepared.in_output()) area_.resize(static_cast<std::size_t>(prepared.result_bytes));
    states_.resize(split_.by_rows ? 0 : split_.pieces.size());
    left_ = split_.pieces.size();
    costs_.assign(gpus_, RunCost());
    std::vector<std::uint64_t> elements(gpus_);
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < split_.pieces.size(); ++i) {
        const auto gpu =
            static_cast<std::size_t>(std::min_element(elements.begin(), elements.end()) - elements.begin());
        elements[gpu] += split_.pieces[i].job.rows * split_.pieces[i].job.cols;
        pieces.push_back({gpu, make_piece(whole, i)});
        pieces.back().task->gpu = gpu;
        tasks_.push_back(pieces.back().task);
    }
    return pieces;
}

std::shared_ptr<JobTask> DividedJob::make_piece(const std::shared_ptr<JobTask>& whole, std::size_t index) {
    const split::JobPiece& piece = split_.pieces[index];
    const PreparedJob& from = whole->prepared;
    auto task = std::make_shared<JobTask>();
    task->whole = whole;
    task->waiting = whole->waiting;
    task->waiting.ticket += (index + 1) << 48;  // unique
    task->received = whole->received;
    task->deadline = whole->deadline;
    task->choice = whole->choice;
    for (std::uint64_t& ns : task->choice.predicted_ns) ns = ns / split_.pieces.size() + 1;
    task->pid = whole->pid;

    PreparedJob& to = task->prepared;
    const std::uint64_t row_stride = from.inputs[0].view.row_stride;
    to.job = piece.job;
    to.plan = kernels::plan_job(piece.job).value();
    to.backend = from.backend;
    to.tuning = from.tuning;
    to.input_count = 1;
    device::JobInput& input = to.inputs[0];
    input = from.inputs[0];
    input.view = {input.view.data + piece.input_begin(row_stride), std::max(row_stride, piece.job.cols)};
    input.range.end = input.range.begin + piece.input_end(row_stride);
    input.range.begin += piece.input_begin(row_stride);
    if (split_.by_rows) {
        to.output.data = from.in_output() ? from.output.data : area_.data();
        to.output.skip_rows = piece.skip_rows;
        to.output.rows = piece.output_rows;
        for (std::size_t i = 0; i < from.plan.outputs.size(); ++i) {
            const ArraySpec& array = from.plan.outputs[i];
            to.output.offsets.push_back(from.output.offsets[i] +
                                        piece.output_row * array.cols * element_bytes(array.type));
        }
    } else {
        State& state = states_[index];
        to.result_bytes = wire::layout_arrays(to.plan.outputs, 8, to.output.offsets).value();
        state.memory.resize(static_cast<std::size_t>(to.result_bytes));
        to.output.data = state.memory.data();
        for (const std::uint64_t offset : to.output.offsets)
            state.arrays.push_back({to.output.data + offset});
    }
    return task;
}

bool DividedJob::end_piece(JobTask& piece) {
    costs_[piece.gpu].copy_ns += piece.cost.copy_ns;
    costs_[piece.gpu].compute_ns += piece.cost.compute_ns;
    queue_ns_ = std::min(queue_ns_, piece.queue_ns);
    if (policy_.empty()) policy_ = std::move(piece.policy);
    // An error of the data has priority over a stop; the whole job finds it again.
    if (piece.error && !withdrawn_ && (!error_ || is_stop(*error_))) error_ = std::move(piece.error);
    return --left_ == 0;
}

// A stopped job is not run again, regardless of its data.
bool DividedJob::withdraw(const std::function<bool(const JobTask&)>& remove, Error error) {
    if (left_ == 0) return false;  // its session receives it
    withdrawn_ = true;
    error_ = std::move(error);
    for (const std::weak_ptr<JobTask>& each : tasks_) {
        const std::shared_ptr<JobTask> piece = each.lock();
        if (piece == nullptr || !remove(*piece)) continue;
        queue_ns_ = std::min(queue_ns_, nanoseconds(Clock::now() - piece->received));
        --left_;
    }
    return left_ == 0;
}

bool DividedJob::join(JobTask& whole) {
    whole.target = Target::Gpu;
    whole.queue_ns = queue_ns_;
    if (error_ && !is_stop(*error_)) return false;
    if (error_) {
        whole.error = error_;
        return true;
    }
    RunCost longest;
    std::uint64_t all_ns = 0;
    for (const RunCost& cost : costs_) {
        all_ns += cost.copy_ns + cost.compute_ns;
        longest.copy_ns = std::max(longest.copy_ns, cost.copy_ns);
        longest.compute_ns = std::max(longest.compute_ns, cost.compute_ns);
    }
    longest.other_gpus_ns = all_ns - std::min(all_ns, longest.copy_ns + longest.compute_ns);
    longest.started = true;
    const auto fill = [&](std::byte* base, Span<const kernels::OutputView> outputs) -> Result<void> {
        if (split_.by_rows) {
            if (!area_.empty()) std::memcpy(base, area_.data(), area_.size());
            return {};
        }
        std::vector<std::vector<kernels::OutputView>> states;
        for (const State& state : states_) states.push_back(state.arrays);
        return split::join_states(whole.prepared.job, split_,
                                  Span<const std::vector<kernels::OutputView>>(states.data(), states.size()),
                                  outputs);
    };
    kernels::RunPolicy policy;
    policy.add("gpus", gpus_);
    policy.add("pieces", split_.pieces.size());
    policy.append(policy_);
    JoinedReply reply(fill, longest, std::move(policy));
    return reply.run(whole.prepared, kernels::StopToken(), whole.queue_ns, whole.body, whole.cost).ok();
}

}  // namespace tegu::daemon
