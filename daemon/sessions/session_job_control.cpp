// SPDX-License-Identifier: Apache-2.0
// Handles JOB_LIST and JOB_CANCEL: jobs of other connections of the user, or of all users for an
// administrator. A request costs the io thread a bounded time, whatever is in flight.
#include <unistd.h>

#include <algorithm>

#include "daemon/jobs/job_services.h"
#include "daemon/sessions/session.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kMaxSeen = 1024;  // jobs looked at for one reply; docs/protocol.md has the number

wire::JobPlace place_of(Target target) {
    if (target == Target::Gpu) return wire::JobPlace::Gpu;
    return target == Target::Pool ? wire::JobPlace::Cpu : wire::JobPlace::Express;
}

Result<void> check_feature(std::uint64_t features) {
    if ((features & wire::kFeatureJobControl) != 0) return {};
    return field_error(Status::Unsupported, "features", "the feature bit for job control in HELLO",
                       "this connection has not agreed on job control");
}

// The numbers of a GPU in a list are bytes.
std::uint8_t byte_of(std::size_t number) {
    return static_cast<std::uint8_t>(std::min<std::size_t>(number, UINT8_MAX));
}

wire::JobInfo info_of(const JobTask& task, const Session& session, const Gpus& gpus, TimePoint now) {
    const Job& job = task.prepared.job;
    const Target target = task.stage.target.load(std::memory_order_relaxed);
    const std::int64_t started_ns = task.stage.started_ns.load(std::memory_order_relaxed);
    wire::JobInfo info;
    info.id = task.waiting.ticket;
    info.session = session.number();
    info.rows = job.rows;
    info.cols = job.cols;
    info.age_ns = nanoseconds(now - task.received);
    info.predicted_ns = task.choice.predicted_ns[static_cast<std::size_t>(target)];
    info.left_ns = info.predicted_ns;
    if (started_ns != 0) {
        const std::uint64_t spent_ns = nanoseconds(now - TimePoint(std::chrono::nanoseconds(started_ns)));
        info.state = wire::JobState::Running;
        info.left_ns -= std::min(info.left_ns, spent_ns);
    }
    info.uid = task.waiting.uid;
    info.pid = static_cast<std::uint32_t>(task.pid);
    info.operation = static_cast<std::uint16_t>(operation_of(job));
    info.type = static_cast<std::uint8_t>(job.type);
    info.priority = task.waiting.priority;
    info.place = place_of(target);
    if (target == Target::Gpu && task.gpu < gpus.all().size()) {
        info.gpu = byte_of(static_cast<std::size_t>(gpus.all()[task.gpu]->device().ordinal));
        info.gpus = byte_of(task.divided != nullptr ? task.choice.shared.size() : 1);
    }
    info.name = session.name();
    return info;
}

}  // namespace

bool Session::is_administrator() const {
    return peer_.uid == 0 || peer_.uid == ::geteuid();
}

Result<void> Session::on_job_list(const wire::FrameHeader& header, Bytes body) {
    Result<void> agreed = check_feature(features_);
    if (!agreed) return agreed;
    const Result<wire::JobListRequest> request = wire::decode_job_list_request(body);
    if (!request) return request.error();
    const TimePoint now = Clock::now();
    wire::JobListReply list;
    list.all_users = is_administrator();
    std::vector<std::shared_ptr<Session>> named;  // holds the names until they are encoded
    list.next = services_.jobs.index.visit(request->after, kMaxSeen, [&](const JobTask& task) {
        if (!list.all_users && task.waiting.uid != peer_.uid) return true;
        if (list.jobs.size() == wire::kMaxJobsListed) return false;
        const std::shared_ptr<Session> session = task.session.lock();
        if (session == nullptr) return true;
        list.jobs.push_back(info_of(task, *session, services_.jobs.gpus(), now));
        if (named.empty() || named.back() != session) named.push_back(session);
        return true;
    });
    reply(header, list);
    return {};
}

Result<void> Session::on_job_cancel(const wire::FrameHeader& header, Bytes body) {
    Result<void> agreed = check_feature(features_);
    if (!agreed) return agreed;
    const Result<wire::JobCancelRequest> request = wire::decode_job_cancel_request(body);
    if (!request) return request.error();
    const JobTask* const found = services_.jobs.index.find(request->id);
    const std::shared_ptr<Session> owner = found != nullptr ? found->session.lock() : nullptr;
    // A job of another user is not found either, so that nobody learns of it.
    if (owner == nullptr || (found->waiting.uid != peer_.uid && !is_administrator()))
        return field_error(Status::NotFound, "id", "the id of a job in flight", "no such job in flight");
    const std::shared_ptr<JobTask> task = owner->jobs_.at(found->request_id);
    const bool waited = owner->end_if_waiting(*task);
    if (owner.get() != this)
        owner->guarded([&] {
            owner->end_cancelled(task, waited);
            owner->flush();
        });
    reply(header, wire::CancelReply{!waited});
    if (owner.get() == this) end_cancelled(task, waited);
    return {};
}

}  // namespace tegu::daemon
