// SPDX-License-Identifier: Apache-2.0
// StoreSocket: what is said to the service manager about its descriptor store, over a ManagerSocket: nothing
// waits, and the caller tries again.
#pragma once

#include <string>

#include "base/result.h"
#include "daemon/service/manager_socket.h"

namespace tegu::daemon {

class StoreSocket {
  public:
    // `address` as of ManagerSocket. Errors: of it, or why nobody can be reached there.
    static Result<StoreSocket> open(const std::string& address);

    enum class Sent { Yes, Later };  // Later: the queue is full
    // Asks to keep a duplicate of `fd` under `name`. What it may refuse it closes without a word. `polled`:
    // it lets go of the descriptor by itself once that has hung up.
    Result<Sent> store(const std::string& name, int fd, bool polled);
    // Asks to close all descriptors of that name. REQUIRES (both): is_store_name(name).
    Result<Sent> remove(const std::string& name);
    // `fd` is closed when all messages before have been dealt with: systemd knows that since 246, and closes
    // what it does not know before.
    Result<Sent> barrier(int fd);

  private:
    explicit StoreSocket(ManagerSocket socket) : socket_(std::move(socket)) {}
    Result<Sent> send(const std::string& text, int fd);
    ManagerSocket socket_;
};

// A name that can stand in a message: 1 to 255 printable ASCII characters but ':'.
bool is_store_name(const std::string& name);

}  // namespace tegu::daemon
