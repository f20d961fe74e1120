// SPDX-License-Identifier: Apache-2.0
// ForeignFd: a descriptor that a client sent. Closing a socket or a FUSE file may take as long as the client
// likes, so threads of their own close all but small memfds and pipes. Each user has a few of these threads
// and one queue, and a full queue refuses only its user. Any thread.
#pragma once

#include <sys/types.h>

#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/span.h"

namespace tegu::daemon {

struct Received {
    ssize_t bytes = 0;    // as recvmsg returns it, with errno
    std::vector<Fd> fds;  // all that came; the caller hands them to close_foreign or keeps them as ForeignFd
    bool lost = false;    // some could not be taken
};
// One recvmsg that does not wait, with room for every descriptor that can come.
Received receive_with_fds(int socket, MutableBytes area);

// Closes descriptors that came from a client, without waiting for what is behind them.
void close_foreign(std::vector<Fd> fds, uid_t uid) noexcept;
// How many descriptors of a user, and of all, wait to be closed, because those before them take their time.
std::size_t foreign_waiting(uid_t uid);
std::size_t foreign_waiting();
// With more than the first that wait, a user may bring memfds only; with more than the second, nothing of his
// is read any more. So they are never more than the second and what one message can bring.
inline constexpr std::size_t kManyForeign = 16;
inline constexpr std::size_t kMostForeign = 256;
// Closing it asks nobody but the kernel: a memfd or a pipe.
bool closes_at_once(const Fd& fd);

// Shuts a connection down and closes it without waiting for the descriptors that are unread in it: they never
// become ours, but end with the socket, on a thread that may wait.
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
    uid_t uid_ = 0;  // whose it was
};

}  // namespace tegu::daemon
