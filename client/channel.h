// SPDX-License-Identifier: Apache-2.0
// Channel: one connected socket, as frames.
#pragma once

#include <sys/uio.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "client/backoff.h"
#include "wire/frame.h"

namespace tegu::clientlib {

// Sending never waits. Receiving waits in recvmsg itself (SO_RCVTIMEO holds the limit and changes only if
// necessary), so a round trip is two system calls. One buffer receives in bulk and holds at least one whole
// frame; frames are views into it.
class Channel {
  public:
    // Connects to the socket at `path`; gives up at `deadline`. server_uid: the required user of the
    // listening socket, -1 for any. Errors: Unavailable, Denied, BadRequest (path), Io.
    static Result<Channel> connect(const std::string& path, std::int64_t server_uid, TimePoint deadline);

    // Sends as much as possible without waiting, `fd` with the first byte (-1: none). Returns the bytes sent;
    // 0 if the socket is full. An error means that the connection is lost.
    Result<std::size_t> send(const iovec* parts, std::size_t count, int fd = -1);

    // Waits until bytes have arrived, or until `deadline`; with `or_writable` also until the socket is
    // writable. An error means that the connection is lost; false means that nothing was read. Invalidates
    // frames taken before.
    Result<bool> receive(TimePoint deadline, bool or_writable);

    // The next whole frame; empty if there is none yet. An error means that framing is broken.
    Result<std::optional<wire::Frame>> next_frame();
    // The descriptor of the frame taken last. None if its header announced one that did not arrive.
    Fd take_descriptor();
    int socket() const { return socket_.get(); }

  private:
    explicit Channel(Fd socket);
    Result<bool> receive_some(int flags);
    bool set_receive_timeout(nanoseconds timeout);
    Result<bool> wait_poll(TimePoint deadline, bool or_writable);

    Fd socket_;
    std::unique_ptr<std::byte[]> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::vector<Fd> descriptors_;
    nanoseconds receive_timeout_{0};  // the current SO_RCVTIMEO; 0: none
};

}  // namespace tegu::clientlib
