// SPDX-License-Identifier: Apache-2.0
// UnreadDescriptors: connections that ended while their client had descriptors of the daemon still to read.
// The kernel limits such descriptors for the whole daemon (unix(7), ETOOMANYREFS). Each therefore counts as a
// connection of its user until they are read or the socket ends. Io thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <list>
#include <utility>

#include "base/fd.h"

namespace tegu::daemon {

class Quotas;

// What one connection may have unread before it asks for more.
inline constexpr std::size_t kMostUnreadDescriptors = 64;

// Whether the peer has yet to read something of what was sent. False if nobody can tell.
bool has_unread(int socket);

class UnreadDescriptors {
  public:
    explicit UnreadDescriptors(Quotas& quotas) : quotas_(quotas) {}
    ~UnreadDescriptors();

    // Shuts the socket down, and holds it and a connection of its user until all is read. Without memory for
    // it both end now.
    void keep(Fd socket, uid_t uid) noexcept;
    // Ends those that were read.
    void poll();
    bool empty() const { return kept_.empty(); }

  private:
    Quotas& quotas_;
    std::list<std::pair<Fd, uid_t>> kept_;
};

}  // namespace tegu::daemon
