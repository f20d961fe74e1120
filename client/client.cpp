// SPDX-License-Identifier: Apache-2.0
#include "client/client.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

namespace tegu::clientlib {
namespace {

// Counts forks in this process: a client made before one belongs to the parent.
std::atomic<unsigned> g_fork_count{0};
unsigned fork_count() {
    static const int installed =
        pthread_atfork(nullptr, nullptr, [] { g_fork_count.fetch_add(1, std::memory_order_relaxed); });
    static_cast<void>(installed);
    return g_fork_count.load(std::memory_order_relaxed);
}

void sleep_until(TimePoint until) {
    const nanoseconds left = until - Clock::now();
    if (left <= nanoseconds(0)) return;
    const timespec time{static_cast<time_t>(left.count() / 1000000000),
                        static_cast<long>(left.count() % 1000000000)};
    ppoll(nullptr, 0, &time, nullptr);
}

Ended none(Error error) {
    Ended ended;
    ended.error = std::move(error);
    return ended;
}

}  // namespace

Error overwritten(const std::string& why) {
    return field_error(
        Status::Io, "output", "an output apart from the inputs, which can be sent again",
        "the job had its output in the place of its input, which may be overwritten now: " + why);
}

Client::Client(Settings settings)
    : settings_(std::move(settings)),
      fork_count_(fork_count()),
      jitter_(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()) ^
              (static_cast<std::uint64_t>(getpid()) << 40)) {}

Result<std::unique_ptr<Client>> Client::connect(Settings settings) {
    std::unique_ptr<Client> client(new Client(std::move(settings)));
    client->seek(client->settings_.connect_time);
    while (client->link_ != LinkState::Ready) {
        if (client->link_ == LinkState::Down) return client->last_error_;
        client->step(TimePoint::max());
    }
    return client;
}

Client::~Client() {
    for (Region* region : regions_) region->client = nullptr;
}

Result<void> Client::check_process() const {
    if (fork_count_ == fork_count()) return {};
    return make_error(Status::BadRequest,
                      "this client was made before a fork and belongs to the parent process");
}

void Client::step(TimePoint until) {
    const std::size_t done = jobs_.count(JobState::Done);
    if (link_ == LinkState::Down) seek(settings_.reconnect_time);
    if (earliest_deadline_ != TimePoint::max() || earliest_retry_ != TimePoint::max() ||
        link_ != LinkState::Ready) {
        const TimePoint now = Clock::now();
        expire(now);
        queue_again(now);
        if (now >= link_deadline_)
            lose(make_error(Status::Unavailable, "the daemon does not answer the greeting"));
    }
    drain_if_idle();
    const TimePoint wake = std::min({until, earliest_deadline_, earliest_retry_, link_deadline_});
    if (link_ == LinkState::Seeking) {
        if (jobs_.count(JobState::Done) == done) sleep_until(std::min(wake, next_attempt_));
        if (Clock::now() >= next_attempt_) attempt();
    } else if (link_ != LinkState::Down) {
        send_pending();
        if (channel_ && jobs_.count(JobState::Done) == done)
            receive(wake);  // else the caller may have its result already
    }
    send_releases();
}

Result<void> Client::flush() {
    if (auto checked = check_process(); !checked) return checked;
    if (link_ == LinkState::Ready)
        send_pending();
    else if (jobs_.unanswered() != 0)
        step(Clock::now());
    send_releases();
    return {};
}

Ended Client::wait(std::uint64_t id, TimePoint until) {
    if (auto checked = check_process(); !checked) return none(std::move(checked).error());
    for (;;) {
        PendingJob* job = id == 0 ? jobs_.front(JobState::Done) : jobs_.find(id);
        if (job != nullptr && job->state == JobState::Done) return take(*job);
        if (job == nullptr && (id != 0 || jobs_.size() == 0))
            return none(
                field_error(Status::NotFound, "id", "", id == 0 ? "no job is in flight" : "no such job"));
        const bool last = until != TimePoint::max() && Clock::now() >= until;
        step(until);
        job = id == 0 ? jobs_.front(JobState::Done) : job;
        if (last && (job == nullptr || job->state != JobState::Done))
            return none(
                make_error(Status::DeadlineExceeded, "the job was not done in the time to wait; it goes on"));
    }
}

PollState Client::poll_state() const {
    PollState state;
    state.connection = connections_;
    state.wake = std::min({earliest_deadline_, earliest_retry_, link_deadline_});
    if (channel_) {
        state.fd = channel_->socket();
        state.for_writing = unsent();
    }
    if (link_ == LinkState::Seeking) state.wake = std::min(state.wake, next_attempt_);
    const bool lost = link_ == LinkState::Down && jobs_.unanswered() != 0;
    if (lost || jobs_.count(JobState::Done) != 0) state.wake = Clock::now();
    return state;
}

Ended Client::take(PendingJob& job) {
    Ended ended;
    ended.id = job.id;
    ended.result = std::move(job.result);
    ended.error = std::move(job.error);
    jobs_.remove(job);
    return ended;
}

Result<void> Client::cancel(std::uint64_t id) {
    if (auto checked = check_process(); !checked) return checked;
    PendingJob* job = jobs_.find(id);
    if (job == nullptr) return field_error(Status::NotFound, "id", "", "no such job");
    if (job->state == JobState::Done || job->cancelled) return {};
    if (job->state != JobState::Sent) {
        finish(*job, make_error(Status::Cancelled, "the job was cancelled before it was sent"));
        return {};
    }
    job->cancelled = true;
    Call& call = add_call(wire::MessageType::Cancel, Purpose::Forget);
    wire::encode(wire::CancelRequest{id}, call.frame);
    finish_frame(call);
    send_pending();
    return {};
}

Result<void> Client::await_ready(TimePoint until) {
    if (link_ == LinkState::Down) seek(settings_.reconnect_time);
    callers_waiting_ = true;
    while ((link_ != LinkState::Ready || draining_) && link_ != LinkState::Down && Clock::now() < until)
        step(until);
    callers_waiting_ = false;
    if (link_ == LinkState::Ready && !draining_) return {};
    if (link_ == LinkState::Down) return last_error_;
    return make_error(Status::DeadlineExceeded, "the daemon does not answer");
}

Result<Client::Answer> Client::await_answer(Call& call, TimePoint until, bool& lost) {
    while (!call.done) {
        if (Clock::now() >= until)
            lose(make_error(Status::DeadlineExceeded, "the daemon does not answer"));
        else
            step(until);
    }
    lost = call.lost;
    Answer answer{std::move(call.body), std::move(call.descriptor)};
    const bool ok = call.ok;
    Error error = std::move(call.error);
    calls_.remove_if([&call](const Call& other) { return &other == &call; });
    if (!ok) return error;
    return answer;
}

Result<nanoseconds> Client::ping() {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    const TimePoint begin = Clock::now();
    Result<Answer> answer = call(wire::MessageType::Ping, -1, [](wire::ByteBuffer&) {});
    if (!answer) return std::move(answer).error();
    return nanoseconds(Clock::now() - begin);
}

Result<std::vector<wire::Field>> Client::fields(wire::MessageType type) {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    Result<Answer> answer = call(type, -1, [](wire::ByteBuffer&) {});
    if (!answer) return std::move(answer).error();
    return wire::decode_fields(answer->body);
}

Result<std::vector<wire::BufferInfo>> Client::list_buffers() {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    Result<Answer> answer = call(wire::MessageType::BufferList, -1, [](wire::ByteBuffer&) {});
    if (!answer) return std::move(answer).error();
    return wire::decode_buffer_list(answer->body);
}

Result<KernelList> Client::kernels() {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    KernelList list;
    wire::KernelsRequest request{0};
    const auto take = [&](const wire::KernelsReply& reply) {
        list.threads_per_multiprocessor = reply.threads_per_multiprocessor;
        list.reason = std::string(reply.reason);
        for (const wire::KernelInfo& kernel : reply.kernels)
            list.kernels.push_back({kernel, std::string(kernel.name), std::string(kernel.moves)});
        request.first = static_cast<std::uint32_t>(list.kernels.size());
        // Empty: from a daemon that restarted without a GPU between two parts.
        return request.first < reply.total && !reply.kernels.empty();
    };
    const Result<void> done =
        call_for_parts(wire::MessageType::Kernels, request, wire::decode_kernels_reply, take);
    if (!done) return done.error();
    return list;
}

Result<Health> Client::health(wire::HealthForm form) {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    const wire::HealthRequest request{form};
    Result<Answer> answer =
        call(wire::MessageType::Health, -1, [&](wire::ByteBuffer& frame) { wire::encode(request, frame); });
    if (!answer) return std::move(answer).error();
    const Result<wire::HealthReply> reply = wire::decode_health_reply(answer->body);
    if (!reply) return reply.error();
    return Health{reply->state, std::string(reply->text)};
}

}  // namespace tegu::clientlib
