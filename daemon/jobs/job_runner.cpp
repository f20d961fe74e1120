// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/job_runner.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

namespace tegu::daemon {

namespace {

Error final_error(const PreparedJob& prepared, const RunCost& cost, Error error) {
    if (prepared.in_place && cost.started && status_info(error.status).retryable)
        return make_error(Status::Internal, error.message + ", and part of its input is overwritten");
    return error;
}

}  // namespace

JobRunner::JobRunner(kernels::ThreadPool* pool) : pool_(pool), area_(new std::byte[wire::kMaxInlineBytes]) {}

Result<void> JobRunner::run(const PreparedJob& prepared, const kernels::StopToken& stop,
                            std::uint64_t queue_ns, wire::ByteBuffer& out, RunCost& cost) {
    const std::size_t before = out.size();
    cost = RunCost();
    try {
        reply_.timing = {queue_ns, 0, 0};
        Result<void> done = run_and_encode(prepared, stop, out, cost);
        if (done) return done;
        out.resize(before);
        return final_error(prepared, cost, std::move(done).error());
    } catch (const std::bad_alloc&) {
        out.resize(before);
        return final_error(prepared, cost, make_error(Status::OutOfMemory, "no memory for the job"));
    } catch (const std::exception& exception) {
        out.resize(before);
        return make_error(Status::Internal, std::string("the job failed: ") + exception.what());
    }
}

Result<void> JobRunner::run_and_encode(const PreparedJob& prepared, const kernels::StopToken& stop,
                                       wire::ByteBuffer& out, RunCost& cost) {
    std::byte* base = prepared.in_output() ? prepared.output.data : area_.get();
    // clears the result of an earlier client
    if (!prepared.in_output()) std::memset(base, 0, prepared.result_bytes);
    outputs_.clear();
    for (const std::uint64_t offset : prepared.output.offsets) outputs_.push_back({base + offset});
    Result<kernels::RunReport> report = compute(prepared, base, outputs_, stop, cost);
    if (!report) return std::move(report).error();
    write_policy(*report, prepared.note);
    cost.threads = report->threads;
    reply_.timing.copy_ns = cost.copy_ns;
    reply_.timing.compute_ns = cost.compute_ns;
    encode(prepared, *report, policy_, out);
    return {};
}

Result<kernels::RunReport> JobRunner::compute(const PreparedJob& prepared, std::byte*,
                                              Span<const kernels::OutputView> outputs,
                                              const kernels::StopToken& stop, RunCost& cost) {
    const TimePoint start = Clock::now();
    cost.started = true;
    std::array<kernels::InputView, wire::kMaxInputs> inputs;
    for (std::size_t i = 0; i < prepared.input_count; ++i) inputs[i] = prepared.inputs[i].view;
    Result<kernels::RunReport> report =
        kernels::run_job(prepared.job, prepared.plan, {inputs.data(), prepared.input_count}, outputs,
                         kernels::CpuContext{pool_, prepared.cpu_policies}, stop);
    cost.compute_ns = nanoseconds(Clock::now() - start);
    name_row(prepared, prepared.cpu_choice);
    return report;
}

void JobRunner::name_row(const PreparedJob& prepared, const tuning::JobChoice& choice) {
    row_ = prepared.tuning == nullptr ? std::string() : choice.row_text(prepared.job);
}

void JobRunner::write_policy(const kernels::RunReport& report, const std::string& note) {
    constexpr std::string_view kRow = " row=";
    policy_.clear();
    report.policy.append_to(policy_);
    if (!row_.empty()) {
        const std::size_t bytes = std::min(wire::kMaxPolicyBytes, kRow.size() + row_.size());
        policy_.resize(std::min(policy_.size(), wire::kMaxPolicyBytes - bytes));
        policy_.append(kRow).append(row_);
    }
    if (!note.empty()) policy_.append(" (").append(note).append(")");
}

kernels::RunPolicy JobRunner::policy_with_row(const kernels::RunReport& report) const {
    kernels::RunPolicy policy = report.policy;
    if (!row_.empty()) policy.add("row", row_);
    return policy;
}

void JobRunner::encode(const PreparedJob& prepared, const kernels::RunReport& report, std::string_view policy,
                       wire::ByteBuffer& out) {
    specs_ = prepared.plan.outputs;
    for (std::size_t i = 0; i < specs_.size() && i < report.filled_columns.size(); ++i)
        if (specs_[i].rows == 1) specs_[i].cols = std::min(specs_[i].cols, report.filled_columns[i]);
    std::size_t data_bytes = 0;
    if (prepared.in_output()) {
        offsets_ = prepared.output.offsets;
    } else {
        // The result is smaller than the layout of prepare_job, which fitted.
        data_bytes = static_cast<std::size_t>(wire::layout_arrays(specs_, 8, offsets_).value());
    }
    reply_.backend = backend();
    reply_.policy = policy.substr(0, wire::kMaxPolicyBytes);
    reply_.in_output = prepared.in_output();
    reply_.arrays.clear();
    for (std::size_t i = 0; i < specs_.size(); ++i) reply_.arrays.push_back({specs_[i], offsets_[i]});
    const std::size_t data = wire::encode_job_reply_prefix(reply_, data_bytes, out);
    if (prepared.in_output()) return;
    for (std::size_t i = 0; i < specs_.size(); ++i)
        if (const std::size_t bytes = array_bytes(specs_[i]))
            std::memcpy(out.data() + data + offsets_[i], outputs_[i].data, bytes);
}

}  // namespace tegu::daemon
