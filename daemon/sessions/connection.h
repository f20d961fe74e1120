// SPDX-License-Identifier: Apache-2.0
// Connection: the bytes of one client. It reads and cuts frames, hands them to the session and sends the
// replies. Broken framing (docs/protocol.md), slowness in either direction and the end of the client close
// it; it has no timers, and Server polls it. Io thread only.
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

// What all connections share.
struct ConnectionShared {
    boost::asio::io_context& io;
    const config::Settings& settings;  // in force; a reload changes them in place
    Statistics& statistics;
    std::function<void(TimePoint)> watch;  // requests Connection::poll() no later than that
    std::vector<std::byte> receive_area;   // one for all: a connection that waits holds no memory for it
    Turns turns;
    UnreadDescriptors unread;

    // Another thread will hand something back: poll for it even if its wake-up is lost.
    void poll_soon() { watch(Clock::now() + std::chrono::seconds(1)); }
};

class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(ConnectionShared& shared, Fd socket, uid_t uid);
    virtual ~Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Begins to read.
    void start();
    // Sends what was appended outside of a wake-up (results of the executor, events) and takes the
    // consequences.
    void flush();
    // Closes what is overdue; returns when to look again.
    TimePoint poll(TimePoint now);
    // Sends an event that says why, then closes. Nothing more is read.
    void end_with(const Error& error, CloseReason reason);
    // Closes when what was appended so far has left. Nothing more is read.
    void end_after_replies(CloseReason reason);
    void close(CloseReason reason);
    bool closed() const { return closed_; }
    // Calls what may run out of memory for this connection: then it is closed, and the others live.
    template <class Function>
    void guarded(Function&& function) {
        try {
            function();
        } catch (const std::exception&) {
            close(CloseReason::OutOfMemory);
        }
    }
    // All that was appended has left.
    bool all_sent() const { return replies_.pending() == 0; }

  protected:
    // One whole frame; what it is answered with is appended to out(). `fd` is the descriptor that came with
    // it, if the header says one did and it came.
    virtual void handle_frame(const wire::Frame& frame, ForeignFd fd) = 0;
    // The connection ended; called once.
    virtual void handle_close(CloseReason reason) = 0;
    // Something of it is in flight or held: it is not idle.
    virtual bool in_use() const = 0;
    // Jobs in flight: a client that has shut down its side for writing still gets their replies.
    virtual bool expects_replies() const = 0;
    // Closes or answers what is overdue among its jobs; returns when to look again.
    virtual TimePoint poll_jobs(TimePoint now) = 0;

    ConnectionShared& shared() { return shared_; }
    wire::ByteBuffer& out() { return replies_.out(); }
    ReplyQueue& replies() { return replies_; }
    int socket() { return socket_.native_handle(); }
    TimePoint now() const { return now_; }  // of this wake-up
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
    wire::ByteBuffer unprocessed_;       // received, but not a whole frame yet, or paused before it
    std::deque<ForeignFd> descriptors_;  // received, not matched with a header yet
    TimePoint now_;
    TimePoint turn_began_;  // of its user's turn, the part that is this wake-up
    TimePoint created_;
    TimePoint last_message_;
    TimePoint partial_since_ = kNever;  // a frame has begun and is not complete
    TimePoint stalled_since_ = kNever;  // replies wait and the socket takes no byte
    CloseReason end_reason_ = CloseReason::BadFraming;
    bool greeted_ = false;
    bool reading_ = false;  // a wait for readability is pending
    bool writing_ = false;  // a wait for writability is pending
    bool paused_ = false;   // too many unread replies
    bool yielded_ = false;  // frames are left for the next turn
    bool turn_posted_ = false;
    bool shut_down_ = false;  // the peer will send no more
    bool ending_ = false;     // close when all is sent
    bool closed_ = false;
};

}  // namespace tegu::daemon
