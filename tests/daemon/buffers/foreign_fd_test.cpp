// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/foreign_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tegu::daemon {
namespace {

struct Pair {
    Fd ours, theirs;
};

Pair socket_pair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    return {Fd(ends[0]), Fd(ends[1])};
}

Pair pipe_pair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    return {Fd(ends[0]), Fd(ends[1])};
}

// Sends one byte with `count` duplicates of `fd`.
void send_copies(const Fd& socket, const Fd& fd, std::size_t count) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 253)] = {};
    char byte = 'x';
    iovec part{&byte, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    for (std::size_t i = 0; i < count; ++i) {
        const int number = fd.get();
        std::memcpy(CMSG_DATA(header) + i * sizeof(int), &number, sizeof number);
    }
    ASSERT_EQ(::sendmsg(socket.get(), &message, MSG_NOSIGNAL), 1);
}

// All writing ends of a pipe are closed when its reading end sees the end. Blocks until then.
void expect_end(const Fd& reader) {
    char byte;
    EXPECT_EQ(::read(reader.get(), &byte, 1), 0);
}

TEST(ForeignFd, ArriveAllAtOnceAndCloseOnExec) {
    const Pair sockets = socket_pair();
    const Pair pipe = pipe_pair();
    send_copies(sockets.theirs, pipe.theirs, 253);
    std::byte area[16];
    const Received received = receive_with_fds(sockets.ours.get(), MutableBytes(area));
    EXPECT_EQ(received.bytes, 1);
    EXPECT_FALSE(received.lost);
    ASSERT_EQ(received.fds.size(), 253u);
    for (const Fd& fd : received.fds) EXPECT_NE(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(ForeignFd, NothingToReceiveIsAnErrorThatDoesNotWait) {
    const Pair sockets = socket_pair();
    std::byte area[16];
    EXPECT_LT(receive_with_fds(sockets.ours.get(), MutableBytes(area)).bytes, 0);
    EXPECT_TRUE(errno == EAGAIN || errno == EWOULDBLOCK);
}

TEST(ForeignFd, OfAPipeIsClosedAtOnce) {
    Pair pipe = pipe_pair();
    { const ForeignFd foreign(std::move(pipe.theirs), 1); }
    ASSERT_EQ(::fcntl(pipe.ours.get(), F_SETFL, O_NONBLOCK), 0);
    expect_end(pipe.ours);
}

TEST(ForeignFd, OfASocketIsClosedByAnotherThread) {
    Pair sockets = socket_pair();
    { const ForeignFd foreign(std::move(sockets.theirs), 1); }
    expect_end(sockets.ours);
}

TEST(ForeignFd, ThatIsReleasedStaysOpen) {
    Pair sockets = socket_pair();
    Fd kept;
    {
        ForeignFd foreign(std::move(sockets.theirs), 1);
        kept = foreign.release();
    }
    EXPECT_EQ(::send(kept.get(), "x", 1, MSG_NOSIGNAL), 1);
    char byte;
    EXPECT_EQ(::recv(sockets.ours.get(), &byte, 1, 0), 1);
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    for (int fd = 0; fd < 4096; ++fd) count += ::fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST(ForeignFd, ThatNobodyReadEndsWithItsConnection) {
    Pair sockets = socket_pair();
    Pair pipe = pipe_pair();
    EXPECT_EQ(::send(sockets.theirs.get(), "first", 5, MSG_NOSIGNAL), 5);
    for (int i = 0; i < 9; ++i) send_copies(sockets.theirs, pipe.theirs, 100);  // a user may have 1024 sent
    pipe.theirs.reset();
    const std::size_t before = open_descriptors();
    close_connection(std::move(sockets.ours), 1);
    EXPECT_LE(open_descriptors(), before) << "none of them was taken";
    expect_end(pipe.ours);
    EXPECT_LT(::send(sockets.theirs.get(), "x", 1, MSG_NOSIGNAL), 0);
    EXPECT_EQ(errno, EPIPE);
}

TEST(ForeignFd, AConnectionWithBytesAloneIsClosedAtOnce) {
    for (const std::size_t bytes : {0u, 1u, 100'000u}) {
        Pair sockets = socket_pair();
        const std::vector<char> data(bytes);
        EXPECT_EQ(::send(sockets.theirs.get(), data.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT),
                  static_cast<ssize_t>(bytes));
        const int number = sockets.ours.get();
        close_connection(std::move(sockets.ours), 1);
        EXPECT_LT(::fcntl(number, F_GETFD), 0) << bytes;
    }
}

TEST(ForeignFd, ManyOfAllKindsAreClosed) {
    std::vector<Fd> fds;
    std::vector<Fd> watched;
    for (int i = 0; i < 50; ++i) {
        Pair sockets = socket_pair(), pipe = pipe_pair();
        fds.push_back(std::move(sockets.theirs));
        fds.push_back(std::move(pipe.theirs));
        fds.emplace_back(::eventfd(0, EFD_CLOEXEC));
        watched.push_back(std::move(sockets.ours));
        watched.push_back(std::move(pipe.ours));
    }
    close_foreign(std::move(fds), 1);
    for (const Fd& fd : watched) expect_end(fd);
    close_foreign({}, 1);
}

// A socket whose close waits: in its queue is the last reference to a TCP socket with SO_LINGER and data that
// `reader` does not read.
Fd slow_to_close(const Fd& listener, std::vector<Fd>& readers) {
    sockaddr_in address{};
    socklen_t bytes = sizeof address;
    EXPECT_EQ(0, ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &bytes));
    Fd sender(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(0, ::connect(sender.get(), reinterpret_cast<const sockaddr*>(&address), bytes));
    readers.emplace_back(::accept(listener.get(), nullptr, nullptr));
    const std::vector<char> data(1 << 16);
    while (::send(sender.get(), data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) continue;
    const linger wait{1, 120};
    EXPECT_EQ(0, ::setsockopt(sender.get(), SOL_SOCKET, SO_LINGER, &wait, sizeof wait));
    Pair sockets = socket_pair();
    send_copies(sockets.ours, sender, 1);
    return std::move(sockets.theirs);
}

TEST(ForeignFd, WhoeverSendsSlowOnesWaitsForHimselfAlone) {
    const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(0, ::listen(listener.get(), 16));
    std::vector<Fd> readers;
    for (int i = 0; i < 12; ++i) const ForeignFd foreign(slow_to_close(listener, readers), 1);
    while (foreign_waiting(1) > 12u - 4u) ::usleep(1000);  // a user has four threads, which take one each
    EXPECT_EQ(12u - 4u, foreign_waiting(1));
    EXPECT_EQ(0u, foreign_waiting(2));
    EXPECT_EQ(foreign_waiting(1), foreign_waiting());
    Pair sockets = socket_pair();
    { const ForeignFd foreign(std::move(sockets.theirs), 2); }
    expect_end(sockets.ours);
    readers.clear();  // resets the connections: nothing waits any more
    while (foreign_waiting(1) > 0) ::usleep(1000);
    EXPECT_EQ(0u, foreign_waiting());
}

}  // namespace
}  // namespace tegu::daemon
