// SPDX-License-Identifier: Apache-2.0
// Ends a connection: after a timeout, an error of its client, or a disconnect.
#include <poll.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <string>

#include "daemon/sessions/connection.h"

namespace tegu::daemon {
namespace {

constexpr auto kGoneCheck = std::chrono::milliseconds(1000);

}  // namespace

// The peer sends no more. A client that only shut down its write side still gets replies; a disconnected one
// does not.
void Connection::on_peer_shut_down() {
    shut_down_ = true;
    if (peer_is_gone()) return close(CloseReason::PeerClosed);
    shared_.watch(now_ + kGoneCheck);
}

bool Connection::peer_is_gone() const {
    pollfd poll_fd{const_cast<boost::asio::local::stream_protocol::socket&>(socket_).native_handle(), 0, 0};
    return ::poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLHUP | POLLERR)) != 0;
}

TimePoint Connection::poll(TimePoint now) {
    if (closed_) return kNever;
    now_ = now;
    const auto& timeouts = shared_.settings.timeouts;
    TimePoint next = poll_jobs(now);
    // Closes with `error` if `since` is too long ago; else records the time limit.
    const auto overdue = [&](TimePoint since, std::uint64_t limit_ms, CloseReason reason, const char* setting,
                             const char* what) {
        if (closed_ || since == kNever) return;
        const TimePoint end = since + milliseconds(limit_ms);
        if (end > now) {
            next = std::min(next, end);
        } else if (reason == CloseReason::WriteStall) {
            close(reason);
        } else {
            end_with(field_error(Status::DeadlineExceeded, setting,
                                 "at most " + std::to_string(limit_ms) + " ms", what),
                     reason);
        }
    };
    if (!ending_ && !greeted_)
        overdue(created_, timeouts.hello_ms, CloseReason::HelloTimeout, "timeouts.hello_ms",
                "no HELLO came in time");
    if (!ending_ && greeted_)
        overdue(partial_since_, timeouts.frame_ms, CloseReason::FrameTimeout, "timeouts.frame_ms",
                "a message was not completed in time");
    if (!ending_ && timeouts.idle_ms != 0 && greeted_)
        overdue(in_use() ? now : last_message_, timeouts.idle_ms, CloseReason::Idle, "timeouts.idle_ms",
                "the connection was idle");
    overdue(stalled_since_, timeouts.write_stall_ms, CloseReason::WriteStall, "timeouts.write_stall_ms", "");
    if (closed_) return kNever;
    if (shut_down_) {
        if (peer_is_gone()) close(CloseReason::PeerClosed);
        next = std::min(next, now + std::chrono::duration_cast<Clock::duration>(kGoneCheck));
    }
    if (!closed_) flush();
    return next;
}

void Connection::send_event(const Error& error) {
    wire::FrameHeader header;
    header.type = wire::MessageType::Event;
    header.status = error.status;
    header.deadline_ns = error.retry_after_ns;
    wire::encode_frame(header, error, out());
}

void Connection::end_with(const Error& error, CloseReason reason) {
    if (closed_ || ending_) return;
    send_event(error);
    end_after_replies(reason);
}

void Connection::end_after_replies(CloseReason reason) {
    if (closed_ || ending_) return;
    ending_ = true;
    end_reason_ = reason;
    descriptors_.clear();
    // Bytes that the client still sends are dropped with the socket. It reads the event, then the end.
    boost::asio::post(shared_.io, [self = shared_from_this()] { self->guarded([&] { self->flush(); }); });
}

void Connection::close(CloseReason reason) {
    if (closed_) return;
    closed_ = true;
    ++shared_.statistics.closed[static_cast<std::size_t>(reason)];
    boost::system::error_code ignored;
    const bool unread = replies_.unread_descriptors(socket()) > 0;
    Fd ended(socket_.release(ignored));
    if (unread && has_unread(ended.get())) {
        shared_.unread.keep(std::move(ended), uid_);
        shared_.watch(now_ + kGoneCheck);
    } else {
        close_connection(std::move(ended), uid_);
    }
    descriptors_.clear();
    handle_close(reason);
}

}  // namespace tegu::daemon
