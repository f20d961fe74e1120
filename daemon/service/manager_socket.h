// SPDX-License-Identifier: Apache-2.0
// ManagerSocket: sends datagrams to the service manager at $NOTIFY_SOCKET. Sends never block, unlike
// libsystemd's calls, which wait while the manager's queue is full; the caller retries. The socket is not
// connected, so it still reaches a manager that recreates its socket.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace tegu::daemon {

class ManagerSocket {
  public:
    // `address`: an absolute path, or '@' and an abstract name. Errors: BadRange (neither; `allowed` lists
    // the forms), or those of socket creation.
    static Result<ManagerSocket> open(const std::string& address);
    // Checks that a process listens there. Errors: why not.
    Result<void> check() const;

    enum class Sent { Yes, Later, Never };  // Later: the queue is full. Never: errno has the reason
    // `fd`: sent along as a duplicate; -1: none.
    Sent send(const std::string& text, int fd) const;

  private:
    explicit ManagerSocket(Fd fd) : fd_(std::move(fd)) {}
    const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }

    Fd fd_;
    sockaddr_un address_{};
    socklen_t address_bytes_ = 0;
};

}  // namespace tegu::daemon
