// SPDX-License-Identifier: Apache-2.0
// Handles JOB and CANCEL: admission, the inline path, and jobs that wait for an executor.
#include <algorithm>

#include "daemon/buffers/buffer_services.h"
#include "daemon/jobs/job_services.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/sessions/session.h"

namespace tegu::daemon {
namespace {

Error shutting_down() {
    return make_error(Status::ShuttingDown, "the daemon is stopping");
}

// Replaces a retryable error for a running in-place job, because a retry would use its own result as input.
Error stopped_half_way() {
    return field_error(
        Status::Cancelled, "output", "another buffer than the input for jobs that may be repeated",
        "the daemon ended while the job ran in place: its buffer holds neither input nor result");
}

Result<void> check_features(const wire::JobRequest& request, std::uint64_t features) {
    const auto uses = [&](auto wire::Operand::*member) {
        return std::any_of(request.inputs.begin(), request.inputs.end(),
                           [&](const wire::Operand& operand) { return operand.*member != 0; });
    };
    if ((features & wire::kFeatureBuffers) == 0 &&
        (request.output.handle != 0 || uses(&wire::Operand::handle)))
        return field_error(Status::Unsupported, "features", "the feature bit for buffers in HELLO",
                           "this connection has not agreed on buffers");
    if ((features & wire::kFeatureGenerations) == 0 && uses(&wire::Operand::generation))
        return field_error(Status::Unsupported, "features", "the feature bit for generations in HELLO",
                           "this connection has not agreed on generations");
    if ((features & wire::kFeaturePartials) == 0 && is_partial(request.job))
        return field_error(Status::Unsupported, "features", "the feature bit for partials in HELLO",
                           "this connection has not agreed on partials");
    return {};
}

}  // namespace

Result<void> Session::on_job(const wire::FrameHeader& header, Bytes body) {
    if (services_.stop.stopping) return shutting_down();
    if (!jobs_.empty() && jobs_.count(header.request_id) != 0)
        return field_error(Status::DuplicateId, "request_id", "a number that no job in flight has",
                           "a job in flight has this request id");
    Result<wire::JobRequest> request = wire::decode_job_request(body);
    if (!request) return std::move(request).error();
    operation_ = operation_of(request->job);
    if (features_ != wire::kAllFeatures) {
        Result<void> features = check_features(*request, features_);
        if (!features) return features;
    }
    Result<void> wish = services_.jobs.placement.check_wish(request->backend);
    if (!wish) return wish;
    Result<PreparedJob> prepared = prepare_job(*request, buffers_, shared().settings.limits.scratch_bytes,
                                               services_.jobs.tuning.state());
    if (!prepared) return std::move(prepared).error();
    const TimePoint deadline = deadline_after(now(), header.deadline_ns);
    const JobOwner owner{peer_.uid, peer_.pid, header.priority, deadline != kNever};
    Result<Choice> choice = services_.jobs.placement.choose(*prepared, owner, false);
    if (choice && choice->target == Target::Inline) {
        if (run_inline(header, *prepared, *choice, deadline) == Inline::Answered) return {};
        choice = services_.jobs.placement.choose(*prepared, owner, true);
    }
    if (!choice) return std::move(choice).error();
    return enqueue(header, *request, std::move(prepared).value(), *choice, deadline);
}

// Computes a small job at once and appends its reply to those of this wake-up. A wrong prediction delays
// other clients by at most kInlineNs. Exception: a job in place goes on, as it has overwritten its input.
Session::Inline Session::run_inline(const wire::FrameHeader& header, const PreparedJob& prepared,
                                    const Choice& choice, TimePoint deadline) {
    const Operation operation = operation_of(prepared.job);
    const TimePoint start = frame_began();
    const TimePoint limit = prepared.in_place ? kNever : start + std::chrono::nanoseconds(kInlineNs);
    const std::uint64_t queue_ns = nanoseconds(start - now());
    RunCost cost;
    Result<void> done;
    const std::size_t frame = wire::begin_frame(out());
    if (start >= deadline) {
        done = make_error(Status::DeadlineExceeded, "the deadline passed before the job started");
    } else {
        const kernels::StopToken stop(nullptr, std::min(deadline, limit));
        done = services_.jobs.inline_runner.run(prepared, stop, queue_ns, out(), cost);
    }
    services_.record.statistics.inline_ns += cost.compute_ns;
    const Status status = done ? Status::Ok : done.error().status;
    const JobUse use = use_of(cost, false, prepared.plan, status);
    if (!done) out().resize(frame);
    if (!done && done.error().status == Status::DeadlineExceeded && limit < deadline &&
        Clock::now() < deadline) {
        services_.jobs.placement.learn_overrun(prepared, cost.compute_ns);
        account_.charge_more(use);
        return Inline::TakesLonger;
    }
    account_.charge(use);
    services_.jobs.placement.admitted(prepared, choice);
    ++services_.record.statistics.of(operation).inline_jobs;
    services_.record.statistics.count_job({operation, status, prepared.plan, queue_ns, 0, cost.compute_ns,
                                           queue_ns + cost.compute_ns, cost.started, false});
    if (done) {
        services_.jobs.placement.learn_inline(prepared, choice, cost);
        wire::end_frame(reply_header(header.type, header.request_id), frame, out());
    } else {
        note_error(operation, done.error());
        reply_error(header.type, header.request_id, done.error());
    }
    return Inline::Answered;
}

Result<void> Session::enqueue(const wire::FrameHeader& header, const wire::JobRequest& request,
                              PreparedJob prepared, const Choice& choice, TimePoint deadline) {
    Result<void> charged = services_.quotas.start_job(peer_.uid, jobs_.size(), max_jobs_in_flight_);
    if (!charged) return charged;
    try {
        submit(header, request, std::move(prepared), choice, deadline);
    } catch (...) {
        forget_job(header.request_id);
        services_.quotas.end_job(peer_.uid);
        throw;
    }
    return {};
}

// REQUIRES: a job is charged.
void Session::submit(const wire::FrameHeader& header, const wire::JobRequest& request, PreparedJob prepared,
                     const Choice& choice, TimePoint deadline) {
    auto task = std::make_shared<JobTask>();
    task->data.assign(request.data.begin(), request.data.end());
    prepared.rebase_inline(request.data, task->data.data());
    task->waiting = {services_.jobs.next_ticket(), peer_.uid, header.priority, 0};
    task->choice = choice;
    task->pid = peer_.pid;
    task->request_id = header.request_id;
    task->session = std::static_pointer_cast<Session>(shared_from_this());
    task->received = now();
    task->deadline = deadline;
    task->prepared = std::move(prepared);
    task->target = choice.target;
    if (deadline != kNever) shared().watch(deadline);
    jobs_.emplace(header.request_id, task);
    services_.jobs.index.add(*task);
    services_.jobs.placement.admitted(task->prepared, choice);
    services_.jobs.executors.submit(std::move(task));
}

// Ends the bookkeeping of a job in flight before its answer. The job may still run, so nothing is read that
// the executor writes.
void Session::retire(const JobTask& task, const Error* error, std::uint64_t queue_ns, const RunCost& cost,
                     Target target) {
    const Operation operation = operation_of(task.prepared.job);
    const kernels::JobPlan& plan = task.prepared.plan;
    const Status status = error == nullptr ? Status::Ok : error->status;
    const bool on_gpu = target == Target::Gpu, divided = task.divided != nullptr;
    services_.record.statistics.count_job({operation, status, plan, queue_ns, cost.copy_ns, cost.compute_ns,
                                           nanoseconds(Clock::now() - task.received), cost.started, on_gpu});
    account_.charge(use_of(cost, on_gpu, plan, status));
    if (error != nullptr) note_error(operation, *error);
    if (status == Status::Ok && on_gpu) services_.record.statistics.count_gpu_job(task.gpu);
    if (status == Status::Ok && divided) ++services_.record.statistics.gpu_divided_total;
    services_.quotas.end_job(peer_.uid);
    forget_job(task.request_id);
}

// No effect if there is no such job.
void Session::forget_job(std::uint64_t request_id) {
    const auto found = jobs_.find(request_id);
    if (found == jobs_.end()) return;
    services_.jobs.index.remove(*found->second);
    jobs_.erase(found);
}

void Session::complete(JobTask& task) {
    const std::uint64_t request_id = task.request_id;
    const bool cut_off = task.error && task.error->status == Status::Cancelled && services_.stop.stopping &&
                         !task.cancelled_by_client;
    if (cut_off)
        task.error = task.prepared.in_place && task.cost.started ? stopped_half_way() : shutting_down();
    if (!task.prepared.note.empty()) ++services_.record.statistics.gpu_fallbacks_total;
    retire(task, task.error ? &*task.error : nullptr, task.queue_ns, task.cost, task.target);
    if (task.error) return reply_error(wire::MessageType::Job, request_id, *task.error);
    const std::size_t frame = wire::begin_frame(out());
    out().insert(out().end(), task.body.begin(), task.body.end());
    wire::end_frame(reply_header(wire::MessageType::Job, request_id), frame, out());
}

// REQUIRES: the executor has returned the job.
void Session::drop_waiting(const std::shared_ptr<JobTask>& task, const Error& error) {
    retire(*task, &error, nanoseconds(now() - task->received), {}, Target::Pool);
    reply_error(wire::MessageType::Job, task->request_id, error);
}

Result<void> Session::on_cancel(const wire::FrameHeader& header, Bytes body) {
    Result<wire::CancelRequest> request = wire::decode_cancel_request(body);
    if (!request) return std::move(request).error();
    const auto found = jobs_.find(request->target_id);
    if (found == jobs_.end())
        return field_error(Status::NotFound, "target_id", "the request id of a job in flight",
                           "no such job in flight");
    const std::shared_ptr<JobTask> task = found->second;
    const bool waited = end_if_waiting(*task);
    reply(header, wire::CancelReply{!waited});
    end_cancelled(task, waited);
    return {};
}

// A short job that its executor gives up may wait again, so it is looked for once more.
bool Session::end_if_waiting(JobTask& task) {
    if (services_.jobs.executors.remove(task)) return true;
    task.stop.store(true, std::memory_order_relaxed);
    return services_.jobs.executors.remove(task);
}

void Session::end_cancelled(const std::shared_ptr<JobTask>& task, bool waited) {
    task->cancelled_by_client = true;
    if (waited) drop_waiting(task, make_error(Status::Cancelled, "the job was cancelled before it started"));
}

// Answers waiting jobs whose deadline has passed, before their turn comes. Running jobs stop by themselves.
TimePoint Session::poll_jobs(TimePoint now) {
    TimePoint next = kNever;
    std::vector<std::shared_ptr<JobTask>> overdue;
    for (const auto& entry : jobs_) {
        if (entry.second->deadline > now) {
            next = std::min(next, entry.second->deadline);
        } else {
            overdue.push_back(entry.second);
        }
    }
    for (const std::shared_ptr<JobTask>& task : overdue)
        if (services_.jobs.executors.remove(*task))
            drop_waiting(task,
                         make_error(Status::DeadlineExceeded, "the deadline passed before the job started"));
    return next;
}

void Session::answer_jobs(const Error& error) {
    while (!jobs_.empty()) {
        const std::shared_ptr<JobTask> task = jobs_.begin()->second;
        const bool started = !end_if_waiting(*task);
        const Error& answer = started && task->prepared.in_place ? stopped_half_way() : error;
        retire(*task, &answer, 0, {}, Target::Pool);
        reply_error(wire::MessageType::Job, task->request_id, answer);
    }
    flush();
}

void Session::abort_jobs() {
    std::vector<std::shared_ptr<JobTask>> tasks;
    for (const auto& entry : jobs_) tasks.push_back(entry.second);
    for (const std::shared_ptr<JobTask>& task : tasks) {
        if (end_if_waiting(*task)) drop_waiting(task, shutting_down());
    }
}

}  // namespace tegu::daemon
