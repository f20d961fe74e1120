// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/foreign_fd.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <thread>
#include <unordered_map>

#include "daemon/buffers/mapping.h"

#ifndef F_GETPIPE_SZ
#define F_GETPIPE_SZ 1032
#endif

namespace tegu::daemon {
namespace {

constexpr std::size_t kMaxFds = 253;  // SCM_MAX_FD: with less capacity the kernel could drop some

constexpr unsigned kThreadsPerUser = 4;
// limit for all users; each user may always have one, so that no user waits for another
constexpr unsigned kThreads = 64;

// The closing threads and their queues. Never destroyed: a thread may be stuck in close(2) when the process
// exits.
struct Closers {
    struct User {
        unsigned threads = 0;
        std::vector<Fd> waiting;
    };
    std::mutex mutex;
    std::atomic<std::size_t> waiting{0};  // of all users; changed under the mutex
    unsigned threads = 0;
    std::unordered_map<uid_t, User> users;  // those with threads
};

Closers& closers() {
    static Closers& all = *new Closers;
    return all;
}

void close_those_of(uid_t uid) {
    Closers& all = closers();
    std::unique_lock<std::mutex> lock(all.mutex);
    Closers::User& user = all.users.at(uid);
    while (!user.waiting.empty()) {
        Fd fd = std::move(user.waiting.back());
        user.waiting.pop_back();
        --all.waiting;
        lock.unlock();
        fd.reset();
        lock.lock();
    }
    --all.threads;
    if (--user.threads == 0) all.users.erase(uid);
}

// Appends them to the user's queue; true: the caller must start a thread, which is already counted.
bool enqueue(std::vector<Fd>& fds, uid_t uid) {
    Closers& all = closers();
    const std::lock_guard<std::mutex> lock(all.mutex);
    Closers::User& user = all.users[uid];
    user.waiting.reserve(user.waiting.size() + fds.size());
    std::move(fds.begin(), fds.end(), std::back_inserter(user.waiting));
    all.waiting += fds.size();
    if (user.threads > 0 && (user.threads >= kThreadsPerUser || all.threads >= kThreads)) return false;
    ++user.threads;
    ++all.threads;
    return true;
}

// Takes ownership of all; on out of memory closes the rest.
void take_fds(msghdr& message, std::vector<Fd>& fds) {
    bool no_memory = false;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
            Fd owned(fd);
            try {
                fds.push_back(std::move(owned));
            } catch (const std::bad_alloc&) {
                no_memory = true;
            }
        }
    }
    if (no_memory) throw std::bad_alloc();
}

}  // namespace

Received receive_with_fds(int socket, MutableBytes area) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds)];
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

bool closes_at_once(const Fd& fd) {
    return has_seals(fd.get()) || ::fcntl(fd.get(), F_GETPIPE_SZ) >= 0;
}

void close_foreign(std::vector<Fd> fds, uid_t uid) noexcept {
    const auto ends_here = [](const Fd& fd) { return closes_at_once(fd) && !is_large(fd.get()); };
    fds.erase(std::remove_if(fds.begin(), fds.end(), ends_here), fds.end());
    if (fds.empty()) return;
    const linger off{};
    for (const Fd& fd : fds) (void)::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &off, sizeof off);
    try {
        if (!enqueue(fds, uid)) return;
    } catch (const std::exception&) {
        return;  // out of memory: closed here; with SO_LINGER off only a file system can delay that
    }
    try {
        std::thread(close_those_of, uid).detach();
    } catch (const std::exception&) {
        close_those_of(uid);  // no thread: as above
    }
}

std::size_t foreign_waiting(uid_t uid) {
    Closers& all = closers();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.users.find(uid);
    return found == all.users.end() ? 0 : found->second.waiting.size();
}

std::size_t foreign_waiting() {
    return closers().waiting.load(std::memory_order_relaxed);
}

namespace {

// Reads the bytes without descriptors. True if nothing is left. MSG_PEEK without capacity for descriptors
// keeps them and reports that there are some.
bool discard_bytes(int socket) {
    std::byte bytes[16 * 1024];
    for (;;) {
        iovec part{bytes, sizeof bytes};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        const ssize_t seen = ::recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT);
        if (seen <= 0) return true;
        if ((message.msg_flags & MSG_CTRUNC) != 0) return false;
        if (::recv(socket, bytes, static_cast<std::size_t>(seen), MSG_DONTWAIT) <= 0) return true;
    }
}

}  // namespace

void close_connection(Fd socket, uid_t uid) noexcept {
    (void)::shutdown(socket.get(), SHUT_RDWR);  // no more bytes can arrive
    if (discard_bytes(socket.get())) return;
    const ForeignFd last(std::move(socket), uid);
}

ForeignFd::~ForeignFd() {
    if (!fd_) return;
    try {
        std::vector<Fd> one(1);
        one.front() = std::move(fd_);
        close_foreign(std::move(one), uid_);
    } catch (const std::exception&) {  // out of memory: it is closed here
    }
}

}  // namespace tegu::daemon
