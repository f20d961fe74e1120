// SPDX-License-Identifier: Apache-2.0
// Session: handles the requests of one client, on the io thread. It owns the client's identity, buffers and
// jobs in flight. Long jobs, large buffers and freezes are answered later, other requests in the wake-up that
// reads them.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <unordered_map>

#include "daemon/buffers/buffer.h"
#include "daemon/jobs/executor.h"
#include "daemon/sessions/accounts.h"
#include "daemon/sessions/connection.h"
#include "daemon/sessions/session_services.h"

namespace tegu::daemon {

// The client's identity from SO_PEERCRED at accept.
struct Peer {
    uid_t uid = 0;
    gid_t gid = 0;
    pid_t pid = 0;
};

class Session final : public Connection {
  public:
    // REQUIRES: a connection of `peer` is charged; the session releases the charge when it closes.
    Session(SessionServices& services, Fd socket, const Peer& peer, std::uint64_t number);

    std::uint64_t number() const { return number_; }
    const Peer& peer() const { return peer_; }
    const std::string& name() const { return name_; }
    const BufferTable& buffers() const { return buffers_; }
    std::size_t jobs_in_flight() const { return jobs_.size(); }

    // True if a request has no reply yet.
    bool expects_replies() const override {
        return !jobs_.empty() || buffers_in_making_ > 0 || buffers_in_release_ > 0 || freezing_;
    }
    // Appends the reply of a job that an executor ran; the caller flushes.
    void complete(JobTask& task);
    // Replies ShuttingDown to every waiting job and stops the running ones.
    void abort_jobs();
    // Replies `error` to every job in flight, regardless of its result, and sends once. The caller closes.
    void answer_jobs(const Error& error);
    // Sends the event that the daemon stops.
    void announce_stop();

  private:
    void handle_frame(const wire::Frame& frame, ForeignFd fd) override;
    void handle_close(CloseReason reason) override;
    bool in_use() const override;
    TimePoint poll_jobs(TimePoint now) override;

    Result<void> dispatch(const wire::FrameHeader& header, Bytes body, ForeignFd fd);
    Result<void> on_hello(const wire::FrameHeader& header, Bytes body);
    Result<void> on_report(const wire::FrameHeader& header, Bytes body);
    Result<void> on_info(const wire::FrameHeader& header, Bytes body);
    Result<void> on_stats(const wire::FrameHeader& header, Bytes body);
    Result<void> on_kernels(const wire::FrameHeader& header, Bytes body);
    Result<void> on_health(const wire::FrameHeader& header, Bytes body);
    Result<void> on_cancel(const wire::FrameHeader& header, Bytes body);

    // session_job_control.cpp
    Result<void> on_job_list(const wire::FrameHeader& header, Bytes body);
    Result<void> on_job_cancel(const wire::FrameHeader& header, Bytes body);
    // Root and the user of the daemon.
    bool is_administrator() const;

    // session_buffers.cpp
    Result<void> on_buffer_register(const wire::FrameHeader& header, Bytes body, ForeignFd fd);
    Result<void> register_again(const wire::FrameHeader& header, const wire::BufferRegisterRequest& request,
                                ForeignFd fd);
    Result<void> on_buffer_attach(const wire::FrameHeader& header, Bytes body);
    Result<void> on_buffer_create(const wire::FrameHeader& header, Bytes body);
    Result<void> on_buffer_freeze(const wire::FrameHeader& header, Bytes body);
    Result<void> on_buffer_release(const wire::FrameHeader& header, Bytes body);
    Result<void> on_buffer_list(const wire::FrameHeader& header, Bytes body);
    Result<void> freeze(const wire::FrameHeader& header, const std::shared_ptr<Buffer>& buffer);
    // A buffer that the daemon creates for this client.
    struct Making;
    Result<void> make_later(const std::shared_ptr<Making>& making);
    static HelperThread::Progress make_slice(Making& making);
    void end_making(Making& making);
    Result<void> reply_made(Making& making);
    // Charges one more buffer of this connection.
    Result<BufferCharge> charge(std::uint64_t bytes);
    // Adds the buffer; the reply has its handle, and a token if the store keeps it.
    wire::BufferReply take_in(std::shared_ptr<Buffer> buffer);
    void leave_buffers();

    // session_jobs.cpp
    Result<void> on_job(const wire::FrameHeader& header, Bytes body);
    enum class Inline { Answered, TakesLonger };
    Inline run_inline(const wire::FrameHeader& header, const PreparedJob& prepared, const Choice& choice,
                      TimePoint deadline);
    Result<void> enqueue(const wire::FrameHeader& header, const wire::JobRequest& request,
                         PreparedJob prepared, const Choice& choice, TimePoint deadline);
    void submit(const wire::FrameHeader& header, const wire::JobRequest& request, PreparedJob prepared,
                const Choice& choice, TimePoint deadline);
    // `error`: of the reply; null for a result.
    void retire(const JobTask& task, const Error* error, std::uint64_t queue_ns, const RunCost& cost,
                Target target);
    void drop_waiting(const std::shared_ptr<JobTask>& task, const Error& error);
    // Answers a cancelled job that waited, or stops the one that runs.
    // Ends a job. True: it waited, and no executor has it. False: it runs, and its stop flag is set.
    bool end_if_waiting(JobTask& task);
    // `waited`: what end_if_waiting() said.
    void end_cancelled(const std::shared_ptr<JobTask>& task, bool waited);
    void forget_job(std::uint64_t request_id);

    // Appends a reply whose body is one message.
    template <class Message>
    void reply(const wire::FrameHeader& request, const Message& message, std::uint8_t descriptors = 0) {
        wire::FrameHeader header = reply_header(request.type, request.request_id);
        header.descriptors = descriptors;
        wire::encode_frame(header, message, out());
    }
    // Adds the error to RecentErrors.
    void note_error(std::optional<Operation> operation, const Error& error);
    void reply_empty(const wire::FrameHeader& request, Bytes body = {});
    void reply_error(wire::MessageType type, std::uint64_t request_id, const Error& error);
    static wire::FrameHeader reply_header(wire::MessageType type, std::uint64_t request_id);

    SessionServices& services_;
    Peer peer_;
    std::uint64_t number_;
    std::string name_;
    AccountHold account_;
    std::optional<Operation> operation_;  // of the job in the current request, once known
    std::uint64_t features_ = 0;
    std::uint64_t max_jobs_in_flight_ = 0;
    BufferTable buffers_;
    std::size_t buffers_in_making_ = 0;
    std::atomic<bool> gone_{false};       // session closed: the helper stops creating buffers
    std::size_t buffers_in_release_ = 0;  // on the helper thread, without a reply yet
    bool freezing_ = false;               // a freeze runs on the helper thread
    std::unordered_map<std::uint64_t, std::shared_ptr<JobTask>> jobs_;  // waiting and running, by request id
};

}  // namespace tegu::daemon
