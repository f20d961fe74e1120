// SPDX-License-Identifier: Apache-2.0
// ManagerSocket: datagrams to the service manager that $NOTIFY_SOCKET names. A socket of our own instead of
// libsystemd's calls, which wait while the manager's queue is full: here nothing ever waits, and whoever has
// something to say tries again. Not connected, so that a manager which makes its socket anew is still found.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace tegu::daemon {

class ManagerSocket {
  public:
    // `address`: an absolute path, or '@' and an abstract name. Errors: BadRange (neither; `allowed` says
    // what is), or why there is no socket.
    static Result<ManagerSocket> open(const std::string& address);
    // Whether anybody listens there. Errors: why not.
    Result<void> check() const;

    enum class Sent { Yes, Later, Never };  // Later: the queue is full. Never: errno says why
    // `fd`: a duplicate goes with it; -1: none.
    Sent send(const std::string& text, int fd) const;

  private:
    explicit ManagerSocket(Fd fd) : fd_(std::move(fd)) {}
    const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }

    Fd fd_;
    sockaddr_un address_{};
    socklen_t address_bytes_ = 0;
};

}  // namespace tegu::daemon
