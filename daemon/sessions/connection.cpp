// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>

namespace tegu::daemon {
namespace {

Error too_many_to_close() {
    return field_error(Status::OverQuota, "descriptors", "memfds",
                       "too many descriptors of this user, which are no memfds, wait to be closed");
}

Error surplus_descriptors() {
    return field_error(Status::BadDescriptor, "descriptors",
                       "one, with the header of the message that names it",
                       "descriptors came that no message names");
}

}  // namespace

Connection::Connection(ConnectionShared& shared, Fd socket, uid_t uid)
    : shared_(shared),
      socket_(shared.io),
      uid_(uid),
      now_(Clock::now()),
      created_(now_),
      last_message_(now_) {
    // On out of memory it throws and takes nothing.
    socket_.assign(boost::asio::local::stream_protocol(), socket.get());
    (void)socket.release();
}

void Connection::start() {
    shared_.watch(created_ + milliseconds(shared_.settings.timeouts.hello_ms));
    wait_readable();
}

void Connection::wait_readable() {
    if (reading_ || paused_ || yielded_ || shut_down_ || ending_ || closed_) return;
    reading_ = true;
    socket_.async_wait(boost::asio::socket_base::wait_read,
                       [self = shared_from_this()](const boost::system::error_code&) {
                           self->guarded([&] { self->on_readable(); });
                       });
}

void Connection::wait_writable() {
    if (writing_ || closed_) return;
    writing_ = true;
    socket_.async_wait(boost::asio::socket_base::wait_write,
                       [self = shared_from_this()](const boost::system::error_code&) {
                           self->writing_ = false;
                           if (!self->closed_) self->guarded([&] { self->flush(); });
                       });
}

void Connection::on_readable() {
    if (!closed_ && !ending_ && shared_.turns.is_over(uid_)) {
        boost::asio::post(shared_.io,
                          [self = shared_from_this()] { self->guarded([&] { self->on_readable(); }); });
        return;
    }
    reading_ = false;
    if (closed_ || ending_) return;
    turn_began_ = now_ = Clock::now();
    bool open = true;
    for (bool more = true; more && open;) {
        std::size_t bytes = 0;
        more = false;
        if (may_read()) open = receive(&bytes);
        if (bytes == 0 || !open) continue;
        process_received(bytes);
        more = expects_more_at_once();
    }
    if (open) finish_wakeup();
    end_turn();
}

// A client that sends several messages at once sends the next while these are served. One more read, which
// may be in vain, then takes less time than a wait for the socket.
bool Connection::expects_more_at_once() {
    if (frames_ < 2 || paused_ || yielded_ || ending_ || closed_) return false;
    send_replies();
    if (closed_ || !all_sent()) return false;
    now_ = Clock::now();
    return !shared_.turns.is_over(uid_, nanoseconds(now_ - turn_began_));
}

// The whole wake-up counts: for small requests, reading and sending cost more than the work.
void Connection::end_turn() {
    const TimePoint end = Clock::now();
    shared_.turns.spend(uid_, nanoseconds(end - turn_began_), end);
}

// Results that arrived since the wait began may require a pause. Each read is followed by at least one frame.
// So at most one descriptor waits here for its message, as Quotas assumes.
bool Connection::may_read() {
    if (foreign_waiting() > kMaxForeign && foreign_waiting(uid_) > kMaxForeign) {
        end_with(too_many_to_close(), CloseReason::Refused);
    } else if (replies_.pending() > shared_.settings.limits.reply_queue_bytes) {
        paused_ = true;
        partial_since_ = kNever;
    }
    return !paused_ && !ending_;
}

// One read into the shared area. False: the connection ended.
bool Connection::receive(std::size_t* bytes) {
    Received received = receive_with_fds(socket(), shared_.receive_area);
    if (received.bytes < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return true;
        close(errno == ECONNRESET ? CloseReason::PeerClosed : CloseReason::SocketError);
        return false;
    }
    if (!take_descriptors(received)) return false;
    if (received.bytes == 0) {
        on_peer_shut_down();
        return !closed_;
    }
    *bytes = static_cast<std::size_t>(received.bytes);
    shared_.statistics.bytes_received += *bytes;
    last_message_ = now_;
    return true;
}

// False: the connection ends.
bool Connection::take_descriptors(Received& received) {
    if (received.lost || received.fds.size() > wire::kMaxDescriptors) {
        close_foreign(std::move(received.fds), uid_);
        end_with(received.lost ? field_error(Status::BadDescriptor, "descriptors", "one a message",
                                             "descriptors were lost on the way")
                               : surplus_descriptors(),
                 CloseReason::BadFraming);
        return false;
    }
    if (foreign_waiting(uid_) > kManyForeign &&
        !std::all_of(received.fds.begin(), received.fds.end(), closes_at_once)) {
        close_foreign(std::move(received.fds), uid_);
        end_with(too_many_to_close(), CloseReason::Refused);
        return false;
    }
    for (Fd& fd : received.fds) descriptors_.emplace_back(std::move(fd), uid_);
    return true;
}

// Frames are read in place, in the shared area, unless a part of one was kept from before.
void Connection::process_received(std::size_t bytes) {
    const std::byte* area = shared_.receive_area.data();
    if (unprocessed_.empty()) {
        const std::size_t consumed = process_frames(Bytes(area, bytes));
        if (!closed_ && !ending_) unprocessed_.assign(area + consumed, area + bytes);
        note_partial(consumed > 0);
    } else {
        unprocessed_.erase(unprocessed_.begin(),
                           unprocessed_.begin() + static_cast<std::ptrdiff_t>(processed_));
        processed_ = 0;
        const std::size_t kept = unprocessed_.size();
        unprocessed_.resize(kept + bytes);
        std::memcpy(unprocessed_.data() + kept, area, bytes);
        resume();
    }
}

// Processes bytes that were received before.
void Connection::resume() {
    const std::size_t consumed = process_frames(unprocessed());
    if (closed_ || ending_) return;
    processed_ += consumed;
    if (processed_ == unprocessed_.size()) {
        wire::ByteBuffer().swap(unprocessed_);
        processed_ = 0;
    }
    note_partial(consumed > 0);
}

// Processes one frame at least, if there is a whole one. Replies wait no longer than a turn of several users:
// a client that polls for them would give up.
std::size_t Connection::process_frames(Bytes bytes) {
    std::size_t consumed = 0;
    TimePoint sent = now_;
    frames_ = 0;
    for (TimePoint now = now_; !closed_ && !ending_; now = Clock::now()) {
        paused_ = replies_.pending() > shared_.settings.limits.reply_queue_bytes;
        yielded_ = !paused_ && consumed > 0 && shared_.turns.is_over(uid_, nanoseconds(now - turn_began_));
        if (paused_ || yielded_) break;
        if (!shut_down_ && consumed < bytes.size() && nanoseconds(now - sent) > Turns::kTurnNs) {
            send_replies();
            sent = now;
            if (closed_) break;
        }
        wire::FrameResult result =
            wire::next_frame(bytes.subspan(consumed),
                             greeted_ ? wire::kMaxBodyBytes : wire::kMaxHelloBodyBytes, wire::Sender::Client);
        if (std::holds_alternative<wire::NeedMore>(result)) break;
        if (Error* error = std::get_if<Error>(&result)) {
            end_with(*error, CloseReason::BadFraming);
            break;
        }
        const wire::Frame& frame = *std::get_if<wire::Frame>(&result);
        ForeignFd fd;
        if (frame.header.descriptors > 0) {
            if (descriptors_.empty()) {
                end_with(field_error(Status::BadDescriptor, "descriptors",
                                     "a descriptor with the bytes of its header",
                                     "a header names a descriptor that did not come"),
                         CloseReason::BadFraming);
                break;
            }
            fd = std::move(descriptors_.front());
            descriptors_.pop_front();
        }
        ++shared_.statistics.requests_total;
        frame_began_ = now;
        handle_frame(frame, std::move(fd));
        consumed += frame.consumed;
        ++frames_;
    }
    if (yielded_ && consumed == bytes.size()) yielded_ = false;
    return consumed;
}

// After all whole frames only a partial frame and the descriptor of its header may wait.
void Connection::check_surplus_descriptors() {
    std::size_t allowed = 0;
    if (!unprocessed_.empty()) {
        allowed = wire::kMaxDescriptors;
        if (unprocessed().size() >= wire::kHeaderBytes) {
            const Result<wire::FrameHeader> header = wire::decode_header(unprocessed(), wire::kMaxBodyBytes);
            if (header) allowed = header->descriptors;
        }
    }
    if (descriptors_.size() > allowed) end_with(surplus_descriptors(), CloseReason::BadFraming);
}

void Connection::note_partial(bool moved_on) {
    if (closed_ || ending_ || paused_ || yielded_) {
        partial_since_ = kNever;
        return;
    }
    check_surplus_descriptors();
    if (unprocessed_.empty()) {
        partial_since_ = kNever;
    } else if (moved_on || partial_since_ == kNever) {
        partial_since_ = now_;
        shared_.watch(now_ + milliseconds(shared_.settings.timeouts.frame_ms));
    }
}

void Connection::finish_wakeup() {
    send_replies();
    if (closed_) return;
    if (paused_ && replies_.pending() <= shared_.settings.limits.reply_queue_bytes) {
        // The client has read enough. Its bytes from before the pause are processed in a new turn.
        paused_ = false;
        yielded_ = true;
    }
    if (yielded_ && !turn_posted_) post_turn();
    wait_readable();
}

// Posts this connection behind others of the same user that wait for the end of this turn.
void Connection::post_turn() {
    turn_posted_ = true;
    boost::asio::post(shared_.io, [self = shared_from_this()] {
        boost::asio::post(self->shared_.io, [self] { self->guarded([&] { self->take_turn(); }); });
    });
}

void Connection::take_turn() {
    if (!closed_ && !ending_ && shared_.turns.is_over(uid_)) {
        boost::asio::post(shared_.io,
                          [self = shared_from_this()] { self->guarded([&] { self->take_turn(); }); });
        return;
    }
    turn_posted_ = false;
    if (closed_ || ending_) return;
    yielded_ = false;
    turn_began_ = now_ = Clock::now();
    resume();
    finish_wakeup();
    end_turn();
}

void Connection::flush() {
    if (closed_) return;
    now_ = Clock::now();
    finish_wakeup();
}

void Connection::send_replies() {
    if (closed_) return;
    std::size_t bytes = 0;
    const ReplyQueue::Progress progress = replies_.send(socket(), &bytes);
    shared_.statistics.bytes_sent += bytes;
    if (progress == ReplyQueue::Progress::PeerGone) return close(CloseReason::PeerClosed);
    if (progress == ReplyQueue::Progress::Failed) return close(CloseReason::SocketError);
    if (progress == ReplyQueue::Progress::Blocked) {
        if (bytes > 0 || stalled_since_ == kNever) stalled_since_ = now_;
        if (replies_.pending() > shared_.settings.limits.reply_queue_max_bytes)
            return close(CloseReason::ReplyQueueFull);
        shared_.watch(stalled_since_ + milliseconds(shared_.settings.timeouts.write_stall_ms));
        return wait_writable();
    }
    stalled_since_ = kNever;
    const bool answered = shut_down_ && !paused_ && !yielded_ && !expects_replies();
    if (ending_ || answered) close(ending_ ? end_reason_ : CloseReason::PeerClosed);
}

}  // namespace tegu::daemon
