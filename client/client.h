// SPDX-License-Identifier: Apache-2.0
// Client: the connection, the jobs and the buffers of one caller. client.cpp has the calls, client_link.cpp
// the link state, client_io.cpp sending and receiving, client_buffers.cpp the buffers.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/spin_wait.h"
#include "client/channel.h"
#include "client/job_table.h"
#include "client/pool.h"
#include "client/request.h"

namespace tegu::clientlib {

struct Settings {
    std::string socket_path;  // empty: found anew at each attempt, see find_socket()
    std::string name;
    nanoseconds connect_time{0};
    nanoseconds reconnect_time{0};
    bool busy_retry = true;
    std::int64_t server_uid = -1;
    std::chrono::microseconds spin_time{0};  // how long to poll for the reply to a small job before sleeping
};

// A job that ended. id 0: none ended in time (or there is none), and `error` has the reason.
struct Ended {
    std::uint64_t id = 0;
    std::unique_ptr<tegu_result> result;  // null if it failed
    Error error;
};

// The reply to KERNELS, all of its parts.
struct KernelList {
    struct Kernel {
        wire::KernelInfo numbers;  // its texts are those below
        std::string name, moves;
    };
    std::vector<Kernel> kernels;
    std::uint32_t threads_per_multiprocessor = 0;
    std::string reason;
};

// The replies to JOB_LIST, put together.
struct JobList {
    struct Entry {
        wire::JobInfo numbers;  // its text is that below
        std::string name;
    };
    std::vector<Entry> jobs;
    bool all_users = false;
};

// The reply to HEALTH.
struct Health {
    wire::HealthState state;
    std::string text;
};

// What an event loop polls for; tegu_poll_state of tegu.h.
struct PollState {
    int fd = -1;
    bool for_writing = false;
    std::uint64_t connection = 0;
    TimePoint wake = TimePoint::max();
};

// The error of a job in place that may have begun and has no result. It is not sent again, because its input
// may be overwritten.
Error overwritten(const std::string& why);

// The time limit of the daemon for a reply to anything but a job; after it the daemon counts as hung.
inline constexpr milliseconds kCallTime(30000);

// Parts of one list. No list of a sane daemon has as many.
inline constexpr int kMaxParts = 4096;

// Single-threaded, without callbacks. step() sends, waits for one event and receives; every operation is a
// loop around it. A lost connection is a state, not an error: jobs and calls stay in their lists until the
// link is ready again, or until the reconnect time is over.
class Client {
  public:
    // Errors: Unavailable, Denied, BadVersion, BadRequest, Io.
    static Result<std::unique_ptr<Client>> connect(Settings settings);
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client();

    // The functions of tegu.h, which documents them.
    Result<std::uint64_t> submit(const tegu_request& request);
    Result<void> flush();
    Ended wait(std::uint64_t id, TimePoint until);
    Result<void> cancel(std::uint64_t id);
    Result<nanoseconds> ping();
    Result<std::vector<wire::Field>> fields(wire::MessageType type);
    Result<std::vector<wire::BufferInfo>> list_buffers();
    Result<KernelList> kernels();
    Result<JobList> jobs();
    // Whether the job had started.
    Result<bool> cancel_job(std::uint64_t id);
    Result<Health> health(wire::HealthForm form);
    Result<RegionPtr> create_buffer(std::uint64_t bytes);
    Result<RegionPtr> register_buffer(int fd, std::uint64_t bytes, wire::Access access);
    Result<void> freeze(Region& region);
    std::uint64_t reconnects() const { return reconnects_; }
    PollState poll_state() const;

    // Sends the release of a region to the daemon; its memory stays.
    void release(Region& region);
    // Call before a region is destroyed.
    void forget(Region& region);
    // Sends the releases of destroyed regions. Not callable from ~Region, which may run while jobs are being
    // sent.
    void send_releases();

  private:
    enum class LinkState {
        Down,       // no caller needs it
        Seeking,    // the next attempt is at next_attempt_
        Greeting,   // HELLO is on the wire
        Restoring,  // buffers are being attached or registered again
        Ready,
    };

    // A message other than a job that expects a reply.
    enum class Purpose { Caller, Greet, Restore, Forget };
    struct Call {
        std::uint64_t id = 0;
        wire::MessageType type = wire::MessageType::Ping;
        Purpose purpose = Purpose::Caller;
        wire::ByteBuffer frame;
        int fd = -1;               // to send with it; not owned
        Region* region = nullptr;  // the region of a Restore; null if it was destroyed meanwhile
        bool sent = false;
        bool done = false;  // the rest is valid, for Purpose::Caller
        bool lost = false;  // lost with its connection: its outcome is unknown
        Error error;        // if !ok
        bool ok = false;
        wire::ByteBuffer body;
        Fd descriptor;
    };
    struct Answer {
        wire::ByteBuffer body;
        Fd descriptor;
    };

    // A job that is over for the caller while the daemon may still run it: its regions must not be used yet.
    struct Abandoned {
        std::uint64_t id;
        std::array<RegionPtr, wire::kMaxInputs + 1> regions;
    };

    explicit Client(Settings settings);

    // client.cpp
    void step(TimePoint until);
    Result<void> check_process() const;
    Ended take(PendingJob& job);
    // Sends a message and waits for its reply. `encode_body(ByteBuffer&)` runs once the link is ready, and
    // again if the connection is lost before the reply: the handles have then changed.
    template <class EncodeBody>
    Result<Answer> call(wire::MessageType type, int fd, EncodeBody encode_body);
    // As for jobs, a Busy reply is retried within the reconnect time, unless the settings forbid it.
    template <class EncodeBody>
    Result<Answer> call_until_not_busy(wire::MessageType type, int fd, EncodeBody encode_body);
    // Asks for the parts of a list, one reply each, until `take(reply)` returns false. `take` changes
    // `request` to ask for the next part.
    template <class Request, class Reply, class Take>
    Result<void> call_for_parts(wire::MessageType type, Request& request, Result<Reply> (*decode)(Bytes),
                                Take take);
    // The pause before a retry after this Busy reply.
    nanoseconds busy_pause(const Error& busy);
    Result<void> await_ready(TimePoint until);
    Result<Answer> await_answer(Call& call, TimePoint until, bool& lost);

    // client_submit.cpp
    struct Operands {
        std::array<RegionPtr, wire::kMaxInputs> inputs;
        std::array<Packing, wire::kMaxInputs> packings;
        OutputPlace output;
    };
    Result<Operands> prepare(const tegu_request& request, const Job& job, int inputs, TimePoint deadline);
    Result<void> place_input(const tegu_request& request, const Job& job, int index, bool in_message,
                             TimePoint deadline, Operands& operands);
    void enqueue(const tegu_request& request, Job job, int inputs, Operands operands, PendingJob& pending);
    Result<RegionPtr> region_of(tegu_buffer* buffer, const std::string& field);
    void encode_job(PendingJob& job, wire::JobRequest& request);
    // Writes the handles of the current connection into the frame. Errors: the reason why a region is lost.
    Result<void> refresh(PendingJob& job);

    // client_link.cpp
    void seek(nanoseconds time);
    void attempt();
    void attempt_failed(Error why);
    void on_hello(const wire::FrameHeader& header, Bytes body);
    void on_restored(Region* region, const wire::FrameHeader& header, Bytes body);
    void restore();
    void restore(Region& region);
    void become_ready();
    void lose(Error why);
    void give_up(const Error& why);
    bool wanted() const;
    void drain_if_idle();

    // client_io.cpp
    Call& add_call(wire::MessageType type, Purpose purpose);
    void finish_frame(Call& call);
    bool may_send(const Call& call) const;
    void send_pending();
    bool send_jobs();
    bool unsent() const;
    void receive(TimePoint until);
    // Polls for the reply for a short time, without sleeping, if it is likely to arrive in that time. Returns
    // as Channel::receive.
    Result<bool> look(TimePoint until);
    bool small_reply_awaited() const;
    void on_frame(const wire::Frame& frame);
    void on_job_reply(const wire::Frame& frame);
    void on_call_reply(const wire::Frame& frame);
    void on_busy(PendingJob& job, Error error);
    void on_retry_elsewhere(PendingJob& job, Error error);
    void finish(PendingJob& job, Error error);
    void finish(PendingJob& job, std::unique_ptr<tegu_result> result);
    void detach(PendingJob& job);
    void expire(TimePoint now);
    void queue_again(TimePoint now);
    void forget_abandoned(std::uint64_t id);
    std::size_t window_left() const;

    // client_buffers.cpp
    Result<RegionPtr> acquire(Pool& pool, wire::Access access, std::uint64_t bytes, TimePoint deadline);
    Result<RegionPtr> grow(Pool& pool, wire::Access access, std::uint64_t bytes);
    Result<void> register_region(Region& region);
    RegionPtr make_region(Memory memory, wire::Access access);

    const Settings settings_;
    const unsigned fork_count_;
    Jitter jitter_;

    LinkState link_ = LinkState::Down;
    std::optional<Channel> channel_;
    TimePoint link_deadline_ = TimePoint::max();  // of Greeting and Restoring
    TimePoint seek_until_;
    TimePoint next_attempt_;
    TimePoint ready_since_;
    Backoff backoff_;
    bool progress_ = false;         // the connection had a final reply
    bool draining_ = false;         // the daemon is stopping: no new jobs on this connection
    bool callers_waiting_ = false;  // a caller is in await_ready()
    Error last_error_;              // why the link was lost or not established
    std::uint64_t epoch_ = 0;       // number of the connection; handles in frames belong to one
    std::uint64_t reconnects_ = 0;
    std::uint64_t connections_ = 0;  // sockets connected so far
    std::size_t restoring_ = 0;      // missing replies

    std::uint8_t version_ = wire::kVersionMin;
    std::uint64_t features_ = 0;
    std::size_t max_inline_bytes_ = wire::kMaxInlineBytes;
    std::size_t window_ = 1;  // jobs on the wire at once
    std::size_t max_regions_ = 1;
    std::uint64_t max_buffer_bytes_ = 0;

    SpinWait spin_wait_;
    JobTable jobs_;
    std::list<Call> calls_;
    std::vector<Abandoned> abandoned_;
    wire::ByteBuffer residue_;  // the unsent rest of a frame
    std::size_t queued_bytes_ = 0;
    bool releases_wait_ = false;                      // see send_releases()
    TimePoint earliest_deadline_ = TimePoint::max();  // at or before that of every job without a reply
    TimePoint earliest_retry_ = TimePoint::max();     // the same for Waiting

    std::vector<Region*> regions_;  // all that are alive
    Pool input_pool_;
    Pool output_pool_;
};

template <class EncodeBody>
Result<Client::Answer> Client::call(wire::MessageType type, int fd, EncodeBody encode_body) {
    const TimePoint until = Clock::now() + kCallTime;
    for (;;) {
        if (auto ready = await_ready(until); !ready) return std::move(ready).error();
        Call& call = add_call(type, Purpose::Caller);
        call.fd = fd;
        encode_body(call.frame);
        finish_frame(call);
        bool lost = false;
        Result<Answer> answer = await_answer(call, until, lost);
        if (!lost || link_ == LinkState::Down || Clock::now() >= until) return answer;
    }
}

template <class EncodeBody>
Result<Client::Answer> Client::call_until_not_busy(wire::MessageType type, int fd, EncodeBody encode_body) {
    const TimePoint until = Clock::now() + settings_.reconnect_time;
    for (;;) {
        Result<Answer> answer = call(type, fd, encode_body);
        if (answer || answer.error().status != Status::Busy || !settings_.busy_retry) return answer;
        const TimePoint again = Clock::now() + busy_pause(answer.error());
        if (again >= until) return answer;
        while (Clock::now() < again) step(again);
    }
}

template <class Request, class Reply, class Take>
Result<void> Client::call_for_parts(wire::MessageType type, Request& request, Result<Reply> (*decode)(Bytes),
                                    Take take) {
    for (int part = 0; part < kMaxParts; ++part) {
        Result<Answer> answer =
            call(type, -1, [&](wire::ByteBuffer& frame) { wire::encode(request, frame); });
        if (!answer) return std::move(answer).error();
        const Result<Reply> reply = decode(answer->body);
        if (!reply) return reply.error();
        if (!take(*reply)) break;
    }
    return {};
}

}  // namespace tegu::clientlib

// The caller's handle: one share of a region.
struct tegu_buffer {
    tegu::clientlib::RegionPtr region;
};
