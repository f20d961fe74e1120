// SPDX-License-Identifier: Apache-2.0
// The price of a job in system calls: counted by standing in for the C library's functions in this program.
// The clients sleep while they wait (spin_us is 0): how often one looks for a reply before that depends on
// the time that it takes.
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/client/client_util.h"

namespace {

thread_local std::size_t t_calls = 0;  // of this thread: the server's are not counted

}  // namespace

extern "C" {

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
    ++t_calls;
    return syscall(SYS_sendmsg, fd, message, flags);
}
ssize_t recvmsg(int fd, msghdr* message, int flags) {
    ++t_calls;
    return syscall(SYS_recvmsg, fd, message, flags);
}
int ppoll(pollfd* entries, nfds_t count, const timespec* timeout, const sigset_t*) {
    ++t_calls;
    timespec copy = timeout != nullptr ? *timeout : timespec{};
    return static_cast<int>(
        syscall(SYS_ppoll, entries, count, timeout != nullptr ? &copy : nullptr, nullptr, 0));
}
int setsockopt(int fd, int level, int name, const void* value, socklen_t size) noexcept {
    ++t_calls;
    return static_cast<int>(syscall(SYS_setsockopt, fd, level, name, value, size));
}

}  // extern "C"

namespace tegu::test {
namespace {

std::size_t calls_of(const std::function<void()>& body) {
    const std::size_t before = t_calls;
    body();
    return t_calls - before;
}

tc::Client sleeping(const FakeServer& server) {
    tc::Options options = options_for(server);
    options.spin_us = 0;
    return connected(server, options);
}

TEST(ClientSystemCalls, ARoundTripIsTwo) {
    FakeServer server({serve});
    tc::Client client = sleeping(server);
    expect_works(client);  // takes the greeting's timeout from the socket
    EXPECT_EQ(calls_of([&] {
                  for (int i = 0; i < 100; ++i) expect_works(client);
              }),
              200u);
}

TEST(ClientSystemCalls, ADeadlineOrATimeToWaitAddNone) {
    FakeServer server({serve});
    tc::Client client = sleeping(server);
    OneValue job(2);
    job.request.deadline(3600 * 1000 * kMillisecond);
    ASSERT_TRUE(client.run(job.request).ok());  // sets the socket's timeout once
    EXPECT_EQ(calls_of([&] {
                  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.run(job.request).ok());
              }),
              200u);
}

TEST(ClientSystemCalls, PipelinedJobsShareThem) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        std::vector<std::byte> replies;
        std::size_t held = 0;
        while (std::optional<Request> request = connection.read()) {
            const std::vector<std::byte> reply = connection.computed(*request);
            replies.insert(replies.end(), reply.begin(), reply.end());
            if (++held % 16 != 0) continue;
            connection.send(replies);
            replies.clear();
        }
    }});
    tc::Client client = sleeping(server);
    for (int i = 0; i < 16; ++i) ASSERT_TRUE(client.submit(OneValue(i).request).ok());
    for (int i = 0; i < 16; ++i) ASSERT_TRUE(client.wait_any().result.ok());
    EXPECT_EQ(calls_of([&] {
                  for (int round = 0; round < 10; ++round) {
                      for (int i = 0; i < 16; ++i) ASSERT_TRUE(client.submit(OneValue(i).request).ok());
                      for (int i = 0; i < 16; ++i) ASSERT_TRUE(client.wait_any().result.ok());
                  }
              }),
              20u);
}

}  // namespace
}  // namespace tegu::test
