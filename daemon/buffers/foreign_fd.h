// SPDX-License-Identifier: Apache-2.0
// ForeignFd: a descriptor from a client, for any thread. Closing a socket or a FUSE file may block, so
// separate threads close all but small memfds and pipes. Each user has a few such threads and one bounded
// queue.
#pragma once

#include <sys/types.h>

#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/span.h"

namespace tegu::daemon {

struct Received {
    ssize_t bytes = 0;    // as recvmsg returns it, with errno
    std::vector<Fd> fds;  // all received; the caller passes them to close_foreign or keeps them as ForeignFd
    bool lost = false;    // some were not received
};
// One non-blocking recvmsg, with capacity for the maximum number of descriptors in a message.
Received receive_with_fds(int socket, MutableBytes area);

// Closes descriptors of a client without blocking the caller.
void close_foreign(std::vector<Fd> fds, uid_t uid) noexcept;
// Number of descriptors of a user, and of all users, that wait to be closed.
std::size_t foreign_waiting(uid_t uid);
std::size_t foreign_waiting();
// Limits on a user's waiting descriptors. Above the first, only memfds are accepted from the user. Above the
// second, no message of the user is read. So at most the second plus those of one message wait.
inline constexpr std::size_t kManyForeign = 16;
inline constexpr std::size_t kMaxForeign = 256;
// True for a memfd or a pipe: close() does not block on another process.
bool closes_at_once(const Fd& fd);

// Shuts a connection down and closes it without blocking. Unread descriptors in the socket are never
// received; a separate thread closes them with the socket.
void close_connection(Fd socket, uid_t uid) noexcept;

class ForeignFd {
  public:
    ForeignFd() = default;
    ForeignFd(Fd fd, uid_t uid) : fd_(std::move(fd)), uid_(uid) {}
    ForeignFd(ForeignFd&&) noexcept = default;
    ForeignFd& operator=(ForeignFd&& other) noexcept {
        std::swap(fd_, other.fd_);
        std::swap(uid_, other.uid_);
        return *this;
    }
    ~ForeignFd();

    int get() const { return fd_.get(); }
    // Gives ownership to the caller. REQUIRES: it is known to be a memfd.
    [[nodiscard]] Fd release() { return std::move(fd_); }

  private:
    Fd fd_;
    uid_t uid_ = 0;  // the user who sent it
};

}  // namespace tegu::daemon
