// SPDX-License-Identifier: Apache-2.0
// Channel: one connected socket, as frames. Sending never waits; receiving waits in recvmsg itself
// (SO_RCVTIMEO holds the limit and is only changed when it must), so that a round trip is two system calls.
// Everything is read in bulk into one buffer that holds at least one whole frame, and frames are views into
// it.
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

class Channel {
  public:
    // Connects to the socket at `path`; gives up at `deadline`. server_uid: who must have opened the
    // listening socket, -1 for any. Errors: Unavailable, Denied, BadRequest (path), Io.
    static Result<Channel> connect(const std::string& path, std::int64_t server_uid, TimePoint deadline);

    // Sends what goes without waiting, `fd` with the first byte (-1: none). Returns the bytes sent; 0 if the
    // socket is full. An error means that the connection is lost.
    Result<std::size_t> send(const iovec* parts, std::size_t count, int fd = -1);

    // Waits until bytes have arrived, or until `deadline`; with `or_writable` also until the socket takes
    // bytes again. An error means that the connection is lost; false that nothing was read. Frames taken
    // before are void.
    Result<bool> receive(TimePoint deadline, bool or_writable);

    // The next whole frame; nothing if there is none yet. An error means that framing is broken.
    Result<std::optional<wire::Frame>> next_frame();
    // The descriptor that came with the frame taken last. None if its header said so and none came.
    Fd take_descriptor();

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
    nanoseconds receive_timeout_{0};  // what SO_RCVTIMEO holds; 0: none
};

}  // namespace tegu::clientlib
