// SPDX-License-Identifier: Apache-2.0
// ReplyQueue: the unsent bytes of a connection, and the descriptors sent with some headers. Replies are
// encoded directly into it; one system call sends all replies of a wake-up.
#pragma once

#include <deque>
#include <memory>

#include "base/result.h"
#include "wire/messages.h"

namespace tegu::daemon {

class ReplyQueue {
  public:
    // Encoders append here.
    wire::ByteBuffer& out() { return out_; }
    // Number of unsent bytes.
    std::size_t pending() const { return out_.size() - sent_; }

    // Sends `fd` with the header at offset `header` in out(); `keep` holds it open until then.
    void attach_descriptor(std::size_t header, int fd, std::shared_ptr<const void> keep);

    // Estimated number of descriptors that wait here or in the socket; 0 after the peer has read all sent
    // bytes.
    std::size_t unread_descriptors(int socket);

    enum class Progress { Done, Blocked, PeerGone, Failed };
    // Sends without blocking; *bytes is the number of sent bytes.
    Progress send(int socket, std::size_t* bytes);

  private:
    struct Attached {
        std::size_t at;  // offset of the header in out_
        int fd;
        std::shared_ptr<const void> keep;
    };
    void drop_sent();

    wire::ByteBuffer out_;
    std::size_t sent_ = 0;  // bytes of out_ already sent
    std::deque<Attached> attached_;
    std::size_t descriptors_sent_ = 0;  // since the peer had last read everything
};

}  // namespace tegu::daemon
