// SPDX-License-Identifier: Apache-2.0
// The state of the link: seek, greet, attach or register the buffers, ready; after a loss, seek again. The
// seek time restarts only after a useful connection (it had a reply, or lasted a second). So neither a daemon
// that drops each connection nor a job that kills it each time blocks a caller for ever.
#include <fcntl.h>

#include "client/client.h"

namespace tegu::clientlib {
namespace {

constexpr milliseconds kGreetTime(5000);
constexpr milliseconds kConnectTime(1000);
constexpr milliseconds kUsefulTime(1000);
constexpr unsigned kMaxConnectionsLost = 10;

// True for errors that a retry cannot change.
bool is_final(Status status) {
    return status == Status::Denied || status == Status::BadVersion || status == Status::BadRequest ||
           status == Status::Unsupported;
}

}  // namespace

void Client::seek(nanoseconds time) {
    const TimePoint now = Clock::now();
    backoff_.reset();
    seek_until_ = now + time;
    next_attempt_ = now;
    link_ = LinkState::Seeking;
}

void Client::attempt() {
    const TimePoint now = Clock::now();
    Result<Channel> channel =
        Channel::connect(settings_.socket_path, settings_.server_uid, now + kConnectTime);
    if (!channel) return attempt_failed(std::move(channel).error());
    channel_.emplace(std::move(*channel));
    ++connections_;
    link_ = LinkState::Greeting;
    link_deadline_ = now + kGreetTime;
    progress_ = draining_ = false;
    version_ = wire::kVersionMin;
    Call& call = add_call(wire::MessageType::Hello, Purpose::Greet);
    wire::HelloRequest hello;
    hello.name = settings_.name;
    wire::encode(hello, call.frame);
    finish_frame(call);
}

void Client::attempt_failed(Error why) {
    last_error_ = std::move(why);
    const TimePoint now = Clock::now();
    if (is_final(last_error_.status) || now >= seek_until_) return give_up(last_error_);
    link_ = LinkState::Seeking;
    next_attempt_ = std::min(now + backoff_.next(jitter_), seek_until_);
}

void Client::on_hello(const wire::FrameHeader& header, Bytes body) {
    if (header.status != Status::Ok) return lose(wire::decode_error(header, body));
    Result<wire::HelloReply> hello = wire::decode_hello_reply(body);
    if (!hello) return lose(std::move(hello).error());
    if (hello->version < wire::kVersionMin || hello->version > wire::kVersionMax)
        return lose(field_error(Status::BadVersion, "version",
                                std::to_string(wire::kVersionMin) + ".." + std::to_string(wire::kVersionMax),
                                "the daemon speaks version " + std::to_string(hello->version)));
    version_ = static_cast<std::uint8_t>(hello->version);
    features_ = hello->features & wire::kAllFeatures;
    max_inline_bytes_ = std::min<std::size_t>(hello->max_inline_bytes, wire::kMaxInlineBytes);
    window_ = std::max<std::size_t>(hello->max_jobs_in_flight, 1);
    max_regions_ =  // at least what one job needs
        std::min<std::size_t>(Pool::kMaxRegions,
                              std::max<std::size_t>(hello->max_buffers / 4, wire::kMaxInputs));
    max_buffer_bytes_ = hello->max_buffer_bytes;
    ++epoch_;
    restore();
}

// Restores every region that is in use, with all requests on the wire at once.
void Client::restore() {
    input_pool_.drop_idle();
    output_pool_.drop_idle();
    link_ = LinkState::Restoring;
    restoring_ = 0;
    for (Region* region : regions_) restore(*region);
    if (restoring_ == 0) become_ready();
}

// A daemon that kept the region needs only its token.
void Client::restore(Region& region) {
    const bool attach = region.token != wire::BufferToken{} && (features_ & wire::kFeatureAttach) != 0;
    Call& call = add_call(attach ? wire::MessageType::BufferAttach : wire::MessageType::BufferRegister,
                          Purpose::Restore);
    call.region = &region;
    const int seals = fcntl(region.memory.fd(), F_GET_SEALS);
    if (seals >= 0 && (seals & F_SEAL_WRITE) != 0)
        region.access = wire::Access::Read;  // frozen, maybe while the link was lost
    if (attach) {
        wire::encode(wire::BufferAttachRequest{region.token}, call.frame);
    } else {
        call.fd = region.memory.fd();
        wire::encode(wire::BufferRegisterRequest{region.memory.bytes(), region.access}, call.frame);
    }
    finish_frame(call);
    ++restoring_;
}

void Client::on_restored(Region* region, const wire::FrameHeader& header, Bytes body) {
    if (header.status == Status::Busy || header.status == Status::ShuttingDown ||
        header.status == Status::DeviceLost)
        return lose(wire::decode_error(header, body));
    std::optional<Error> refused;
    std::uint64_t handle = 0;
    wire::BufferToken token{};
    if (header.status == Status::Ok) {
        Result<wire::BufferReply> reply = wire::decode_buffer_reply(body);
        if (!reply) return lose(std::move(reply).error());
        handle = reply->handle;
        token = reply->token;
    } else if (header.type == wire::MessageType::BufferAttach &&
               region != nullptr) {  // the daemon has dropped it
        region->token = {};
        --restoring_;
        return restore(*region);
    } else {
        refused = wire::decode_error(header, body);
        refused->message =
            "a buffer could not be registered again after the connection was lost: " + refused->message;
    }
    if (region != nullptr) {
        region->handle = handle;
        if (header.type == wire::MessageType::BufferRegister) region->token = token;
        region->refused = std::move(refused);
    } else if (handle != 0) {  // freed meanwhile
        Call& call = add_call(wire::MessageType::BufferRelease, Purpose::Forget);
        wire::encode(wire::BufferRef{handle}, call.frame);
        finish_frame(call);
    }
    if (--restoring_ == 0) become_ready();
}

void Client::become_ready() {
    link_ = LinkState::Ready;
    link_deadline_ = TimePoint::max();
    ready_since_ = Clock::now();
    if (epoch_ > 1)
        ++reconnects_;
    else
        seek_until_ = ready_since_ + settings_.reconnect_time;
}

void Client::lose(Error why) {
    const LinkState was = link_;
    channel_.reset();
    residue_.clear();
    link_deadline_ = TimePoint::max();
    for (Region* region : regions_) region->handle = 0;
    for (Abandoned& job : abandoned_)
        for (RegionPtr& region : job.regions)
            if (region != nullptr) --region->jobs;
    abandoned_.clear();
    for (auto call = calls_.begin(); call != calls_.end();) {
        if (call->purpose != Purpose::Caller) {
            call = calls_.erase(call);
            continue;
        }
        call->done = call->lost = true;
        call->error = why;
        ++call;
    }
    while (PendingJob* job = jobs_.front(JobState::Sent)) {
        if (job->cancelled)
            finish(*job,
                   make_error(Status::Cancelled, "the job was cancelled while the connection was lost"));
        else if (job->in_place)
            finish(*job, overwritten("the connection was lost: " + why.message));
        else if (++job->connections_lost >= kMaxConnectionsLost)
            finish(*job, make_error(Status::Unavailable, "the connection was lost " +
                                                             std::to_string(kMaxConnectionsLost) +
                                                             " times under this job: " + why.message));
        else
            jobs_.move_by_id(*job, JobState::Queued);
    }
    if (was == LinkState::Greeting || was == LinkState::Restoring) return attempt_failed(std::move(why));
    last_error_ = std::move(why);
    const TimePoint now = Clock::now();
    if (settings_.reconnect_time == nanoseconds(0)) return give_up(last_error_);
    if (!wanted()) {
        link_ = LinkState::Down;
        return;
    }
    if (progress_ || now - ready_since_ >= kUsefulTime) seek(settings_.reconnect_time);
    if (now >= seek_until_) return give_up(last_error_);
    link_ = LinkState::Seeking;
    next_attempt_ = now + backoff_.next(jitter_);
}

void Client::give_up(const Error& why) {
    link_ = LinkState::Down;
    Error error = why;
    if (!is_final(error.status)) error.status = Status::Unavailable;
    error.retry_after_ns = 0;
    last_error_ = error;
    for (const JobState state : {JobState::Sent, JobState::Queued, JobState::Waiting})
        while (PendingJob* job = jobs_.front(state)) finish(*job, error);
    for (Call& call : calls_) {
        call.done = call.lost = true;
        call.error = error;
    }
}

bool Client::wanted() const {
    return jobs_.unanswered() != 0 || !calls_.empty() || callers_waiting_;
}

// A stopping daemon has replied to all its jobs: it sends nothing more.
void Client::drain_if_idle() {
    if (!draining_ || link_ != LinkState::Ready || jobs_.count(JobState::Sent) != 0) return;
    if (wanted()) lose(make_error(Status::ShuttingDown, "the daemon is stopping"));
}

}  // namespace tegu::clientlib
