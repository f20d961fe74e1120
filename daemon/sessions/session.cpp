// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/session.h"

#include <algorithm>
#include <new>

#include "base/log.h"
#include "daemon/buffers/buffer_services.h"
#include "daemon/gpus/kernel_report.h"
#include "daemon/jobs/job_services.h"
#include "daemon/reports/board_health.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/reports/report.h"
#include "daemon/sessions/session_table.h"

namespace tegu::daemon {

Session::Session(SessionServices& services, Fd socket, const Peer& peer, std::uint64_t number)
    : Connection(services.connections, std::move(socket), peer.uid),
      services_(services),
      peer_(peer),
      number_(number),
      account_(services.record.accounts.open(peer.uid, peer.pid, Clock::now())) {}

void Session::handle_frame(const wire::Frame& frame, ForeignFd fd) {
    const wire::FrameHeader& header = frame.header;
    if (!is_greeted() && header.type != wire::MessageType::Hello)
        return end_with(field_error(Status::BadRequest, "type", "HELLO as the first message",
                                    "the first message was not HELLO"),
                        CloseReason::BadFraming);
    const std::size_t before = out().size();
    Result<void> done;
    operation_.reset();
    try {
        done = dispatch(header, frame.body, std::move(fd));
    } catch (const std::bad_alloc&) {
        done = make_error(Status::OutOfMemory, "no memory for the request");
    }
    if (done) return;
    out().resize(before);
    services_.record.statistics.count_refused(done.error().status);
    note_error(operation_, done.error());
    reply_error(header.type, header.request_id, done.error());
}

Result<void> Session::dispatch(const wire::FrameHeader& header, Bytes body, ForeignFd fd) {
    Result<void> checked = wire::check_request(header);
    if (!checked) return checked;
    switch (header.type) {
        case wire::MessageType::Job: return on_job(header, body);
        case wire::MessageType::Hello: return on_hello(header, body);
        case wire::MessageType::Ping: reply_empty(header, body); return {};
        case wire::MessageType::Cancel: return on_cancel(header, body);
        case wire::MessageType::Info:
        case wire::MessageType::Stats:
        case wire::MessageType::Kernels:
        case wire::MessageType::Health: return on_report(header, body);
        case wire::MessageType::JobList: return on_job_list(header, body);
        case wire::MessageType::JobCancel: return on_job_cancel(header, body);
        default: break;
    }
    if ((features_ & wire::kFeatureBuffers) == 0)
        return field_error(Status::Unsupported, "features", "the feature bit for buffers in HELLO",
                           "this connection has not agreed on buffers");
    switch (header.type) {
        case wire::MessageType::BufferRegister: return on_buffer_register(header, body, std::move(fd));
        case wire::MessageType::BufferCreate: return on_buffer_create(header, body);
        case wire::MessageType::BufferAttach: return on_buffer_attach(header, body);
        case wire::MessageType::BufferFreeze: return on_buffer_freeze(header, body);
        case wire::MessageType::BufferRelease: return on_buffer_release(header, body);
        default: return on_buffer_list(header, body);
    }
}

Result<void> Session::on_hello(const wire::FrameHeader& header, Bytes body) {
    if (is_greeted())
        return field_error(Status::BadRequest, "type", "one HELLO a connection",
                           "this connection has said HELLO before");
    Result<wire::HelloRequest> request = wire::decode_hello_request(body);
    if (!request) return std::move(request).error();
    if (request->version_max < wire::kVersionMin || request->version_min > wire::kVersionMax) {
        Error error =
            field_error(Status::BadVersion, "version_min",
                        std::to_string(wire::kVersionMin) + ".." + std::to_string(wire::kVersionMax),
                        "no version of the protocol in common");
        reply_error(header.type, header.request_id, error);
        services_.record.statistics.count_refused(error.status);
        note_error({}, error);
        end_after_replies(CloseReason::Refused);
        return {};
    }
    const auto& limits = shared().settings.limits;
    name_ = std::string(request->name);
    account_.set_name(name_);
    features_ = request->features & wire::kAllFeatures;
    max_jobs_in_flight_ = limits.jobs_in_flight_per_connection;
    greeted();
    log(LogLevel::Debug, "connection opened",
        {{"SESSION", std::to_string(number_)},
         {"CLIENT_UID", std::to_string(peer_.uid)},
         {"CLIENT_PID", std::to_string(peer_.pid)},
         {"CLIENT_NAME", name_}});
    wire::HelloReply answer;
    answer.version = std::min(request->version_max, wire::kVersionMax);
    answer.features = features_;
    answer.session = number_;
    answer.max_jobs_in_flight = static_cast<std::uint32_t>(max_jobs_in_flight_);
    answer.max_buffers = static_cast<std::uint32_t>(limits.buffers_per_connection);
    answer.max_buffer_bytes = limits.buffer_bytes;
    answer.server = "tegud " TEGU_VERSION;
    reply(header, answer);
    return {};
}

namespace {

Result<void> expect_empty(Bytes body) {
    if (body.empty()) return {};
    return field_error(Status::BadRequest, "body_bytes", "0", "this message has no body");
}

}  // namespace

// Answers INFO, STATS, KERNELS and HEALTH. Each reply is built anew.
Result<void> Session::on_report(const wire::FrameHeader& header, Bytes body) {
    switch (header.type) {
        case wire::MessageType::Info: return on_info(header, body);
        case wire::MessageType::Stats: return on_stats(header, body);
        case wire::MessageType::Kernels: return on_kernels(header, body);
        default: return on_health(header, body);
    }
}

Result<void> Session::on_info(const wire::FrameHeader& header, Bytes body) {
    Result<void> empty = expect_empty(body);
    if (!empty) return empty;
    reply(header, Span<const wire::Field>(info_fields(services_.reports)));
    return {};
}

Result<void> Session::on_stats(const wire::FrameHeader& header, Bytes body) {
    Result<void> empty = expect_empty(body);
    if (!empty) return empty;
    reply(header, Span<const wire::Field>(stats_fields(services_.reports)));
    return {};
}

Result<void> Session::on_kernels(const wire::FrameHeader& header, Bytes body) {
    const Result<wire::KernelsRequest> request = wire::decode_kernels_request(body);
    if (!request) return request.error();
    reply(header, kernels_reply(services_.jobs.gpus(), request->first));
    return {};
}

Result<void> Session::on_health(const wire::FrameHeader& header, Bytes body) {
    const Result<wire::HealthRequest> request = wire::decode_health_request(body);
    if (!request) return request.error();
    const std::string text = services_.health.text(request->form);
    reply(header, wire::HealthReply{services_.health.state(), request->form, text});
    return {};
}

void Session::handle_close(CloseReason reason) {
    gone_.store(true, std::memory_order_relaxed);
    try {
        log(LogLevel::Debug, std::string("connection closed: ") + close_reason_word(reason),
            {{"SESSION", std::to_string(number_)}, {"CLIENT_UID", std::to_string(peer_.uid)}});
    } catch (const std::bad_alloc&) {  // most connections that end here lack memory
    }
    for (auto& entry : jobs_) {
        JobTask& task = *entry.second;
        task.session.reset();
        services_.jobs.index.remove(task);
        // The charge of a running one ends with it, in Server::take_results.
        if (end_if_waiting(task)) services_.quotas.end_job(peer_.uid);
    }
    jobs_.clear();
    leave_buffers();
    account_ = AccountHold();
    services_.quotas.close_connection(peer_.uid);
    services_.sessions.remove(number_);
}

bool Session::in_use() const {
    return buffers_.size() > 0 || expects_replies();
}

void Session::announce_stop() {
    if (is_greeted()) send_event(make_error(Status::ShuttingDown, "the daemon is stopping"));
}

wire::FrameHeader Session::reply_header(wire::MessageType type, std::uint64_t request_id) {
    wire::FrameHeader header;
    header.type = type;
    header.reply = true;
    header.request_id = request_id;
    return header;
}

void Session::note_error(std::optional<Operation> operation, const Error& error) {
    services_.record.errors.add(health::system_times().unix_ms, peer_.uid, peer_.pid, operation, error.status,
                                error.field, error.message);
}

void Session::reply_empty(const wire::FrameHeader& request, Bytes body) {
    const std::size_t start = wire::begin_frame(out());
    out().insert(out().end(), body.begin(), body.end());
    wire::end_frame(reply_header(request.type, request.request_id), start, out());
}

void Session::reply_error(wire::MessageType type, std::uint64_t request_id, const Error& error) {
    wire::FrameHeader header = reply_header(type, request_id);
    header.status = error.status;
    header.deadline_ns = error.status == Status::Busy ? error.retry_after_ns : 0;
    wire::encode_frame(header, error, out());
}

}  // namespace tegu::daemon
