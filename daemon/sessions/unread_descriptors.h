// SPDX-License-Identifier: Apache-2.0
// UnreadDescriptors: closed connections with descriptors of the daemon that the client has not read. The
// kernel limits such descriptors for the whole daemon (unix(7), ETOOMANYREFS). Each therefore counts as a
// connection of its user until they are read or the socket ends. Io thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <list>
#include <utility>

#include "base/fd.h"

namespace tegu::daemon {

class Quotas;

// Maximum unread descriptors of a connection before a request for more is refused.
inline constexpr std::size_t kMaxUnreadDescriptors = 64;

// Whether the peer has unread bytes. False if unknown.
bool has_unread(int socket);

class UnreadDescriptors {
  public:
    explicit UnreadDescriptors(Quotas& quotas) : quotas_(quotas) {}
    ~UnreadDescriptors();

    // Shuts the socket down and holds it and a connection charge until all is read. On out of memory both end
    // now.
    void keep(Fd socket, uid_t uid) noexcept;
    // Ends the sockets whose descriptors were read.
    void poll();
    bool empty() const { return kept_.empty(); }

  private:
    Quotas& quotas_;
    std::list<std::pair<Fd, uid_t>> kept_;
};

}  // namespace tegu::daemon
