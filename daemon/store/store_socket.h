// SPDX-License-Identifier: Apache-2.0
// StoreSocket: messages to the service manager about its descriptor store, over a ManagerSocket. Never
// blocks; the caller retries.
#pragma once

#include <string>

#include "base/result.h"
#include "daemon/service/manager_socket.h"

namespace tegu::daemon {

class StoreSocket {
  public:
    // `address` and errors as in ManagerSocket::open() and check().
    static Result<StoreSocket> open(const std::string& address);

    enum class Sent { Yes, Later };  // Later: the queue is full
    // Requests to keep a duplicate of `fd` under `name`. A refusal closes it without notice. `polled`: the
    // manager drops the descriptor after it hangs up.
    Result<Sent> store(const std::string& name, int fd, bool polled);
    // Requests to close all descriptors of that name. REQUIRES (store and remove): is_store_name(name).
    Result<Sent> remove(const std::string& name);
    // The manager closes `fd` after it has processed all earlier messages (systemd 246 and later). Older
    // versions close it as unknown.
    Result<Sent> barrier(int fd);

  private:
    explicit StoreSocket(ManagerSocket socket) : socket_(std::move(socket)) {}
    Result<Sent> send(const std::string& text, int fd);
    ManagerSocket socket_;
};

// Whether a message can contain the name: 1 to 255 printable ASCII characters except ':'.
bool is_store_name(const std::string& name);

}  // namespace tegu::daemon
