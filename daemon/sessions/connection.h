// SPDX-License-Identifier: Apache-2.0
// Connection: byte I/O of one client. It splits the input into frames, passes them to the session and sends
// the replies. Bad framing (docs/protocol.md), a timeout in either direction or a disconnect closes it;
// Server polls it for timeouts. Io thread only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/buffers/foreign_fd.h"
#include "daemon/clock.h"
#include "daemon/reports/statistics.h"
#include "daemon/sessions/reply_queue.h"
#include "daemon/sessions/turns.h"
#include "daemon/sessions/unread_descriptors.h"
#include "wire/frame.h"

namespace tegu::daemon {

// State shared by all connections.
struct ConnectionShared {
    boost::asio::io_context& io;
    const config::Settings& settings;  // in force; a reload changes them in place
    Statistics& statistics;
    std::function<void(TimePoint)> watch;  // requests Connection::poll() no later than that
    std::vector<std::byte> receive_area;   // shared, so that a waiting connection needs no buffer
    Turns turns;
    UnreadDescriptors unread;

    // Another thread will return a result: polls for it even if its wake-up is lost.
    void poll_soon() { watch(Clock::now() + std::chrono::seconds(1)); }
};

class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(ConnectionShared& shared, Fd socket, uid_t uid);
    virtual ~Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Starts reading.
    void start();
    // Sends bytes appended outside of a wake-up (executor results, events). May close the connection.
    void flush();
    // Closes the connection after a timeout; returns the time of the next poll.
    TimePoint poll(TimePoint now);
    // Sends an event with the error, then closes. Reads nothing more.
    void end_with(const Error& error, CloseReason reason);
    // Closes after all appended bytes are sent. Reads nothing more.
    void end_after_replies(CloseReason reason);
    void close(CloseReason reason);
    bool closed() const { return closed_; }
    // Calls `function`; on out of memory closes only this connection.
    template <class Function>
    void guarded(Function&& function) {
        try {
            function();
        } catch (const std::exception&) {
            close(CloseReason::OutOfMemory);
        }
    }
    // True if all appended bytes are sent.
    bool all_sent() const { return replies_.pending() == 0; }

  protected:
    // Handles one whole frame and appends its replies to out(). `fd`: the frame's descriptor, if its header
    // announces one and it arrived.
    virtual void handle_frame(const wire::Frame& frame, ForeignFd fd) = 0;
    // Called once when the connection has ended.
    virtual void handle_close(CloseReason reason) = 0;
    // True if the connection has requests in flight or resources: it is not idle.
    virtual bool in_use() const = 0;
    // True with jobs in flight: a client that has shut down its write side still gets their replies.
    virtual bool expects_replies() const = 0;
    // Answers overdue jobs or closes; returns the time of the next poll.
    virtual TimePoint poll_jobs(TimePoint now) = 0;

    ConnectionShared& shared() { return shared_; }
    wire::ByteBuffer& out() { return replies_.out(); }
    ReplyQueue& replies() { return replies_; }
    int socket() { return socket_.native_handle(); }
    TimePoint now() const { return now_; }                  // of this wake-up
    TimePoint frame_began() const { return frame_began_; }  // the handling of this frame
    void greeted() { greeted_ = true; }
    bool is_greeted() const { return greeted_; }
    void send_event(const Error& error);

  private:
    void wait_readable();
    void wait_writable();
    void on_readable();
    bool may_read();
    bool receive(std::size_t* bytes);
    bool take_descriptors(Received& received);
    void process_received(std::size_t bytes);
    bool expects_more_at_once();
    Bytes unprocessed() const { return Bytes(unprocessed_).subspan(processed_); }
    std::size_t process_frames(Bytes bytes);
    void check_surplus_descriptors();
    void note_partial(bool moved_on);
    void resume();
    void finish_wakeup();
    void post_turn();
    void take_turn();
    void end_turn();
    void send_replies();
    void on_peer_shut_down();
    bool peer_is_gone() const;

    ConnectionShared& shared_;
    boost::asio::local::stream_protocol::socket socket_;
    uid_t uid_;  // of the client
    ReplyQueue replies_;
    // Received, but not a whole frame yet, or paused before it; bytes before processed_ are done.
    wire::ByteBuffer unprocessed_;
    std::size_t processed_ = 0;
    std::deque<ForeignFd> descriptors_;  // received, not matched with a header yet
    TimePoint now_;
    TimePoint frame_began_;
    TimePoint turn_began_;  // of its user's turn, the part that is this wake-up
    TimePoint created_;
    TimePoint last_message_;
    TimePoint partial_since_ = kNever;  // start of an incomplete frame
    TimePoint stalled_since_ = kNever;  // replies wait and the socket accepts no byte
    CloseReason end_reason_ = CloseReason::BadFraming;
    unsigned frames_ = 0;  // processed in the last call of process_frames()
    bool greeted_ = false;
    bool reading_ = false;  // a wait for readability is pending
    bool writing_ = false;  // a wait for writability is pending
    bool paused_ = false;   // too many unread replies
    bool yielded_ = false;  // frames remain for the next turn
    bool turn_posted_ = false;
    bool shut_down_ = false;  // the peer has shut down its write side
    bool ending_ = false;     // close when all is sent
    bool closed_ = false;
};

}  // namespace tegu::daemon
