// SPDX-License-Identifier: Apache-2.0
// Jobs of all connections of the user: the list and the cancel, and their functions of tegu.h.
#include <utility>

#include "client/c_support.h"

namespace tegu::clientlib {

Result<JobList> Client::jobs() {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    JobList list;
    wire::JobListRequest request;
    const auto take = [&](const wire::JobListReply& reply) {
        list.all_users = reply.all_users;
        for (const wire::JobInfo& job : reply.jobs) list.jobs.push_back({job, std::string(job.name)});
        const std::uint64_t asked = std::exchange(request.after, reply.next);
        return reply.next > asked;  // else 0, or a daemon that goes in a circle
    };
    const Result<void> done =
        call_for_parts(wire::MessageType::JobList, request, wire::decode_job_list_reply, take);
    if (!done) return done.error();
    return list;
}

// Once only: on another daemon the id may be another job.
Result<bool> Client::cancel_job(std::uint64_t id) {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    const TimePoint until = Clock::now() + kCallTime;
    if (auto ready = await_ready(until); !ready) return std::move(ready).error();
    Call& call = add_call(wire::MessageType::JobCancel, Purpose::Caller);
    wire::encode(wire::JobCancelRequest{id}, call.frame);
    finish_frame(call);
    bool lost = false;
    const Result<Answer> answer = await_answer(call, until, lost);
    if (!answer) return answer.error();
    const Result<wire::CancelReply> reply = wire::decode_cancel_reply(answer->body);
    if (!reply) return reply.error();
    return reply->was_running;
}

}  // namespace tegu::clientlib

namespace {

using tegu::clientlib::fail;
using tegu::clientlib::guarded;

tegu_job job_of(const tegu::clientlib::JobList::Entry& entry) {
    const tegu::wire::JobInfo& from = entry.numbers;
    tegu_job job{};
    job.id = from.id;
    job.session = from.session;
    job.rows = from.rows;
    job.cols = from.cols;
    job.age_ns = from.age_ns;
    job.predicted_ns = from.predicted_ns;
    job.left_ns = from.left_ns;
    job.uid = from.uid;
    job.pid = from.pid;
    job.operation = from.operation;
    job.type = from.type;
    job.priority = static_cast<std::uint8_t>(from.priority);
    job.state = static_cast<std::uint8_t>(from.state);
    job.place = static_cast<std::uint8_t>(from.place);
    job.gpu = from.gpu;
    job.gpus = from.gpus;
    tegu::clientlib::copy_text(job.name, entry.name);
    return job;
}

}  // namespace

extern "C" {

tegu_status tegu_jobs(tegu_client* client, tegu_job* list, size_t capacity, size_t* count, int* all_users,
                      tegu_error* error) {
    return guarded(error, [&] {
        const auto found = client->client->jobs();
        if (!found) return fail(found.error(), error);
        for (std::size_t i = 0; i < std::min(capacity, found->jobs.size()); ++i)
            list[i] = job_of(found->jobs[i]);
        *count = found->jobs.size();
        if (all_users != nullptr) *all_users = found->all_users ? 1 : 0;
        return tegu_status{TEGU_OK};
    });
}

tegu_status tegu_cancel_job(tegu_client* client, uint64_t id, int* was_running, tegu_error* error) {
    return guarded(error, [&] {
        const auto running = client->client->cancel_job(id);
        if (!running) return fail(running.error(), error);
        if (was_running != nullptr) *was_running = *running ? 1 : 0;
        return tegu_status{TEGU_OK};
    });
}

}  // extern "C"
