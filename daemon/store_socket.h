// SPDX-License-Identifier: Apache-2.0
// StoreSocket: messages about the descriptor store to the service manager. One socket of our own instead of libsystemd's call, which waits
// while the manager's queue is full: here nothing ever waits, and the caller tries again.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace tegu::daemon {

class StoreSocket {
  public:
    // `address`: of $NOTIFY_SOCKET, an absolute path, or '@' and an abstract name. Errors: BadRange (neither), or why it cannot be reached.
    static Result<StoreSocket> open(const std::string& address);

    enum class Sent { Yes, Later };  // Later: the queue is full
    // Asks to keep a duplicate of `fd` under `name`. What it may refuse it closes without a word. `polled`: it lets go of the descriptor by
    // itself once that has hung up.
    Result<Sent> store(const std::string& name, int fd, bool polled);
    // Asks to close all descriptors of that name. REQUIRES (both): is_store_name(name).
    Result<Sent> remove(const std::string& name);
    // `fd` is closed when all messages before have been dealt with: systemd knows that since 246, and closes what it does not know before.
    Result<Sent> barrier(int fd);

  private:
    explicit StoreSocket(Fd fd) : fd_(std::move(fd)) {}
    Result<Sent> send(const std::string& text, int fd);
    Fd fd_;
};

// A name that can stand in a message: 1 to 255 printable ASCII characters but ':'.
bool is_store_name(const std::string& name);

}  // namespace tegu::daemon
