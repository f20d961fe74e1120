// SPDX-License-Identifier: Apache-2.0
// ReplyQueue: the bytes that a connection has still to send, and the descriptors that travel with some of its
// headers. Replies are encoded straight into it; a wake-up's replies leave in one system call.
#pragma once

#include <deque>
#include <memory>

#include "base/result.h"
#include "wire/messages.h"

namespace tegu::daemon {

class ReplyQueue {
  public:
    // Where encoders append.
    wire::ByteBuffer& out() { return out_; }
    // Bytes that wait to be sent.
    std::size_t pending() const { return out_.size() - sent_; }

    // `fd` goes out with the header that begins at `header` in out(); `keep` holds it open until then.
    void attach_descriptor(std::size_t header, int fd, std::shared_ptr<const void> keep);

    // Descriptors that wait here or in the socket, as far as that can be told: none, once the peer has read
    // all that was sent.
    std::size_t unread_descriptors(int socket);

    enum class Progress { Done, Blocked, PeerGone, Failed };
    // Sends what the socket takes without waiting. *bytes is how much that was.
    Progress send(int socket, std::size_t* bytes);

  private:
    struct Attached {
        std::size_t at;  // where the header begins in out_
        int fd;
        std::shared_ptr<const void> keep;
    };
    void drop_sent();

    wire::ByteBuffer out_;
    std::size_t sent_ = 0;  // how far out_ is sent
    std::deque<Attached> attached_;
    std::size_t descriptors_sent_ = 0;  // since the peer last had read all
};

}  // namespace tegu::daemon
