// SPDX-License-Identifier: Apache-2.0
// Sending and receiving. One sendmsg gathers the frames of several jobs from their replay memory, without a
// copy. Decoders of wire/ check everything that the daemon sends; a reply without a request is ignored.
#include <algorithm>

#include "client/client.h"

namespace tegu::clientlib {
namespace {

constexpr std::size_t kMaxBatch = 64;
constexpr std::size_t kUsualCallBytes = 512;  // more than any request has, except a job
constexpr std::size_t kMaxBatchBytes = 256 * 1024;
constexpr nanoseconds kLongestHint = std::chrono::hours(1);

std::uint64_t time_left(TimePoint deadline, TimePoint now) {
    if (deadline == TimePoint::max()) return 0;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds(deadline - now).count(), 1));
}

}  // namespace

Client::Call& Client::add_call(wire::MessageType type, Purpose purpose) {
    wire::ByteBuffer frame;
    frame.reserve(kUsualCallBytes);  // now, so that a call is listed completely or not at all
    wire::begin_frame(frame);
    Call& call = calls_.emplace_back();
    call.id = jobs_.other_id();
    call.type = type;
    call.purpose = purpose;
    call.frame = std::move(frame);
    return call;
}

void Client::finish_frame(Call& call) {
    wire::FrameHeader header;
    header.type = call.type;
    header.request_id = call.id;
    header.version = version_;
    header.descriptors = call.fd >= 0 ? 1 : 0;
    wire::end_frame(header, 0, call.frame);
}

bool Client::may_send(const Call& call) const {
    if (call.sent || call.done) return false;
    if (call.purpose == Purpose::Greet) return link_ == LinkState::Greeting;
    if (call.purpose == Purpose::Restore) return link_ == LinkState::Restoring;
    return link_ == LinkState::Ready && !draining_;
}

std::size_t Client::window_left() const {
    const std::size_t used = jobs_.count(JobState::Sent) + abandoned_.size();
    return used < window_ ? window_ - used : 0;
}

bool Client::unsent() const {
    if (!residue_.empty()) return true;
    if (link_ == LinkState::Ready && !draining_ && jobs_.count(JobState::Queued) != 0 && window_left() != 0)
        return true;
    return std::any_of(calls_.begin(), calls_.end(), [this](const Call& call) { return may_send(call); });
}

void Client::send_pending() {
    queued_bytes_ = 0;
    releases_wait_ = false;
    if (!channel_) return;
    if (!residue_.empty()) {
        const iovec part{residue_.data(), residue_.size()};
        Result<std::size_t> sent = channel_->send(&part, 1);
        if (!sent) return lose(std::move(sent).error());
        residue_.erase(residue_.begin(), residue_.begin() + static_cast<std::ptrdiff_t>(*sent));
        if (!residue_.empty()) return;
    }
    for (Call& call : calls_) {
        if (!may_send(call)) continue;
        const iovec part{call.frame.data(), call.frame.size()};
        Result<std::size_t> sent = channel_->send(&part, 1, call.fd);
        if (!sent) return lose(std::move(sent).error());
        if (*sent == 0) return;
        call.sent = true;
        residue_.assign(call.frame.begin() + static_cast<std::ptrdiff_t>(*sent), call.frame.end());
        if (!residue_.empty()) return;
    }
    if (link_ != LinkState::Ready || draining_) return;
    while (send_jobs()) continue;
}

// Sends one batch. True if all of it was sent and there may be more.
bool Client::send_jobs() {
    iovec parts[kMaxBatch];
    PendingJob* batch[kMaxBatch];
    std::size_t count = 0, bytes = 0;
    const std::size_t limit = std::min(window_left(), kMaxBatch);
    TimePoint now = TimePoint::max();
    PendingJob* next = jobs_.front(JobState::Queued);
    while (next != nullptr && count < limit && bytes < kMaxBatchBytes) {
        PendingJob& job = *next;
        next = job.next;
        if (auto fresh = refresh(job); !fresh) {
            finish(job, std::move(fresh).error());
            continue;
        }
        if (job.deadline != TimePoint::max() && now == TimePoint::max()) now = Clock::now();
        wire::FrameHeader header;
        header.type = wire::MessageType::Job;
        header.request_id = job.id;
        header.version = version_;
        header.body_bytes = static_cast<std::uint32_t>(job.frame.size() - wire::kHeaderBytes);
        header.priority = job.priority;
        header.deadline_ns = time_left(job.deadline, now);
        wire::write_header(header, MutableBytes(job.frame.data(), wire::kHeaderBytes));
        parts[count] = iovec{job.frame.data(), job.frame.size()};
        batch[count++] = &job;
        bytes += job.frame.size();
    }
    if (count == 0) return false;
    Result<std::size_t> sent = channel_->send(parts, count);
    if (!sent) {
        lose(std::move(sent).error());
        return false;
    }
    std::size_t left = *sent;
    for (std::size_t i = 0; i < count && left != 0; ++i) {
        PendingJob& job = *batch[i];
        const std::size_t taken = std::min(left, job.frame.size());
        residue_.assign(job.frame.begin() + static_cast<std::ptrdiff_t>(taken), job.frame.end());
        jobs_.move(job, JobState::Sent);
        left -= taken;
    }
    return *sent == bytes && next != nullptr;
}

// The oldest job decides for all jobs on the wire.
bool Client::small_reply_awaited() const {
    const PendingJob* oldest = jobs_.front(JobState::Sent);
    return link_ == LinkState::Ready && (oldest != nullptr ? oldest->small : !calls_.empty());
}

Result<bool> Client::look(TimePoint until) {
    TimePoint now = Clock::now();
    spin_wait_.begin(now);
    while (now < until && spin_wait_.stay_awake(now, settings_.spin_time)) {
        Result<bool> received = channel_->receive(TimePoint(), false);
        if (!received || *received) return received;
        now = Clock::now();
    }
    return false;
}

void Client::receive(TimePoint until) {
    const bool or_writable = unsent();
    const bool spins = settings_.spin_time != nanoseconds(0) && !or_writable && small_reply_awaited();
    Result<bool> received = spins ? look(until) : Result<bool>(false);
    if (received && !*received) received = channel_->receive(until, or_writable);
    if (spins && received && *received) spin_wait_.note_event(Clock::now(), settings_.spin_time);
    if (!received) return lose(std::move(received).error());
    while (channel_) {
        Result<std::optional<wire::Frame>> frame = channel_->next_frame();
        if (!frame) {
            Error error = std::move(frame).error();
            error.message = "the daemon's bytes make no sense: " + error.message;
            error.status = Status::Unavailable;
            return lose(std::move(error));
        }
        if (!*frame) break;
        on_frame(**frame);
    }
}

void Client::on_frame(const wire::Frame& frame) {
    if (frame.header.type == wire::MessageType::Job) return on_job_reply(frame);
    if (frame.header.type != wire::MessageType::Event) return on_call_reply(frame);
    if (frame.header.status == Status::ShuttingDown)
        draining_ = true;
    else if (frame.header.status != Status::Ok)
        lose(wire::decode_error(frame.header, frame.body));
}

void Client::on_job_reply(const wire::Frame& frame) {
    PendingJob* job = jobs_.find(frame.header.request_id);
    if (job == nullptr || job->state != JobState::Sent) return forget_abandoned(frame.header.request_id);
    const Status status = frame.header.status;
    if (status == Status::Ok) {
        progress_ = true;
        Result<wire::JobReply> reply = wire::decode_job_reply(frame.body);
        if (!reply)
            return finish(*job, make_error(Status::Internal,
                                           "the daemon's reply cannot be read: " + reply.error().message));
        Result<std::unique_ptr<tegu_result>> result = make_result(std::move(*reply), job->output);
        if (!result) return finish(*job, std::move(result).error());
        return finish(*job, std::move(*result));
    }
    Error error = wire::decode_error(frame.header, frame.body);
    if (status == Status::Busy) return on_busy(*job, std::move(error));
    if (status == Status::ShuttingDown || status == Status::DeviceLost)
        return on_retry_elsewhere(*job, std::move(error));
    progress_ = true;
    finish(*job, std::move(error));
}

nanoseconds Client::busy_pause(const Error& busy) {
    const auto longest = static_cast<std::uint64_t>(kLongestHint.count());
    const nanoseconds hint = std::max(
        nanoseconds(static_cast<std::int64_t>(std::min(busy.retry_after_ns, longest))), kBackoffMin / 5);
    return hint + jitter_.below(hint / 4 + milliseconds(1));
}

void Client::on_busy(PendingJob& job, Error error) {
    if (!settings_.busy_retry || job.cancelled) return finish(job, std::move(error));
    const TimePoint now = Clock::now();
    if (job.busy_until == TimePoint::max())
        job.busy_until = job.deadline != TimePoint::max() ? job.deadline : now + settings_.reconnect_time;
    job.retry_at = now + busy_pause(error);
    if (job.retry_at >= job.busy_until) return finish(job, std::move(error));
    earliest_retry_ = std::min(earliest_retry_, job.retry_at);
    jobs_.move(job, JobState::Waiting);
}

// The daemon is stopping, or will stop because its device failed: its successor gets the job.
void Client::on_retry_elsewhere(PendingJob& job, Error error) {
    if (job.in_place && !job.cancelled) return finish(job, overwritten(error.message));
    if (settings_.reconnect_time == nanoseconds(0) || job.cancelled) return finish(job, std::move(error));
    draining_ = true;
    const TimePoint now = Clock::now();
    if (job.elsewhere_until == TimePoint::max()) job.elsewhere_until = now + settings_.reconnect_time;
    if (now >= job.elsewhere_until)
        return finish(job,
                      make_error(Status::Unavailable,
                                 "no daemon that stays takes the job; the last one says: " + error.message));
    jobs_.move_by_id(job, JobState::Queued);
}

void Client::on_call_reply(const wire::Frame& frame) {
    Fd descriptor;
    if (frame.header.descriptors != 0) {
        descriptor = channel_->take_descriptor();
        if (!descriptor)
            return lose(make_error(Status::Unavailable, "the daemon announced a descriptor and sent none"));
    }
    const auto call = std::find_if(calls_.begin(), calls_.end(), [&frame](const Call& one) {
        return one.id == frame.header.request_id && one.type == frame.header.type && one.sent && !one.done;
    });
    if (call == calls_.end()) return;
    if (call->purpose == Purpose::Caller) {
        progress_ = true;
        call->done = true;
        call->ok = frame.header.status == Status::Ok;
        call->descriptor = std::move(descriptor);
        if (call->ok)
            call->body.assign(frame.body.begin(), frame.body.end());
        else
            call->error = wire::decode_error(frame.header, frame.body);
        return;
    }
    const Purpose purpose = call->purpose;
    Region* region = call->region;
    calls_.erase(call);
    if (purpose == Purpose::Greet) on_hello(frame.header, frame.body);
    if (purpose == Purpose::Restore) on_restored(region, frame.header, frame.body);
}

void Client::finish(PendingJob& job, Error error) {
    detach(job);
    job.error = std::move(error);
    jobs_.move(job, JobState::Done);
}

void Client::finish(PendingJob& job, std::unique_ptr<tegu_result> result) {
    detach(job);
    result->timing.round_trip_ns =
        static_cast<std::uint64_t>(nanoseconds(Clock::now() - job.submitted).count());
    job.result = std::move(result);
    jobs_.move(job, JobState::Done);
}

void Client::detach(PendingJob& job) {
    for (RegionPtr& region : job.inputs)
        if (region != nullptr) {
            --region->jobs;
            region.reset();
        }
    if (job.output.region != nullptr) --job.output.region->jobs;
    job.output.region.reset();
}

// Ends the jobs whose deadline has passed. Those on the wire may still be running: the client sends a cancel,
// and their regions stay in use until the daemon replies.
void Client::expire(TimePoint now) {
    if (now < earliest_deadline_) return;
    earliest_deadline_ = TimePoint::max();
    for (const JobState state : {JobState::Sent, JobState::Queued, JobState::Waiting}) {
        for (PendingJob *job = jobs_.front(state), *next; job != nullptr; job = next) {
            next = job->next;
            if (now < job->deadline) {
                earliest_deadline_ = std::min(earliest_deadline_, job->deadline);
                continue;
            }
            if (state == JobState::Sent) {
                Abandoned rest{job->id, {}};
                std::copy(job->inputs.begin(), job->inputs.end(), rest.regions.begin());
                rest.regions.back() = job->output.region;
                for (const RegionPtr& region : rest.regions)
                    if (region != nullptr) ++region->jobs;
                abandoned_.push_back(std::move(rest));
                Call& call = add_call(wire::MessageType::Cancel, Purpose::Forget);
                wire::encode(wire::CancelRequest{job->id}, call.frame);
                finish_frame(call);
            }
            finish(*job, make_error(Status::DeadlineExceeded, "the deadline passed before the job was done"));
        }
    }
    if (abandoned_.size() >= window_)
        lose(make_error(Status::Unavailable, "the daemon answers no job within its deadline"));
}

void Client::forget_abandoned(std::uint64_t id) {
    const auto found = std::find_if(abandoned_.begin(), abandoned_.end(),
                                    [id](const Abandoned& job) { return job.id == id; });
    if (found == abandoned_.end()) return;
    for (RegionPtr& region : found->regions)
        if (region != nullptr) --region->jobs;
    abandoned_.erase(found);
}

// Queues jobs with a Busy reply again once their pause is over.
void Client::queue_again(TimePoint now) {
    if (now < earliest_retry_) return;
    earliest_retry_ = TimePoint::max();
    for (PendingJob *job = jobs_.front(JobState::Waiting), *next; job != nullptr; job = next) {
        next = job->next;
        if (now >= job->retry_at)
            jobs_.move_by_id(*job, JobState::Queued);
        else
            earliest_retry_ = std::min(earliest_retry_, job->retry_at);
    }
}

}  // namespace tegu::clientlib
