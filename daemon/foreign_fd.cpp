// SPDX-License-Identifier: Apache-2.0
#include "daemon/foreign_fd.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <thread>

#ifndef F_GET_SEALS
#define F_GET_SEALS 1034
#endif
#ifndef F_GETPIPE_SZ
#define F_GETPIPE_SZ 1032
#endif

namespace tegu::daemon {
namespace {

constexpr std::size_t kMostFds = 253;  // SCM_MAX_FD: less room would let the kernel drop some unseen

// Asks the kernel alone, never a file system.
bool closes_at_once(const Fd& fd) {
    return ::fcntl(fd.get(), F_GET_SEALS) >= 0 || ::fcntl(fd.get(), F_GETPIPE_SZ) >= 0;
}

void take_fds(msghdr& message, std::vector<Fd>& fds) {
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
            fds.emplace_back(fd);
        }
    }
}

}  // namespace

Received receive_with_fds(int socket, MutableBytes area) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostFds)];
    iovec part{area.data(), area.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    Received received;
    received.bytes = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received.bytes < 0) return received;
    take_fds(message, received.fds);
    received.lost = (message.msg_flags & MSG_CTRUNC) != 0;
    return received;
}

void close_foreign(std::vector<Fd> fds) {
    fds.erase(std::remove_if(fds.begin(), fds.end(), closes_at_once), fds.end());
    if (fds.empty()) return;
    const linger off{};
    for (const Fd& fd : fds) (void)::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &off, sizeof off);
    try {
        std::thread([](std::vector<Fd>) {}, std::move(fds)).detach();  // they are closed with the argument
    } catch (const std::exception&) {
        // No thread to be had: they are closed here. With SO_LINGER off, only a file system can make that wait.
    }
}

void shut_down_and_discard(int socket) {
    (void)::shutdown(socket, SHUT_RDWR);
    std::vector<Fd> all;
    std::byte bytes[4096];
    for (;;) {
        Received received = receive_with_fds(socket, MutableBytes(bytes));
        if (received.bytes <= 0) break;
        std::move(received.fds.begin(), received.fds.end(), std::back_inserter(all));
    }
    close_foreign(std::move(all));
}

ForeignFd::~ForeignFd() {
    if (!fd_) return;
    std::vector<Fd> one;
    one.push_back(std::move(fd_));
    close_foreign(std::move(one));
}

}  // namespace tegu::daemon
