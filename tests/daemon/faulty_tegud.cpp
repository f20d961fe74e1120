// SPDX-License-Identifier: Apache-2.0
// tegud as it is, but that one call fails as soon as a file exists: $TEGU_TEST_FAULT is the call and the
// file, "accept:/tmp/x/now". The linker puts these functions in place of the real ones (--wrap), so the
// daemon itself knows nothing of tests.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "daemon/daemon.h"
#include "daemon/jobs/scheduler.h"

namespace {

bool is_due(const std::string& call) {
    static const char* fault = std::getenv("TEGU_TEST_FAULT");
    if (fault == nullptr) return false;
    const std::string text(fault);
    const std::size_t colon = text.find(':');
    return text.substr(0, colon) == call && ::access(text.c_str() + colon + 1, F_OK) == 0;
}

}  // namespace

extern "C" {

int __real_accept4(int socket, sockaddr* address, socklen_t* length, int flags);
int __wrap_accept4(int socket, sockaddr* address, socklen_t* length, int flags) {
    if (!is_due("accept")) return __real_accept4(socket, address, length, flags);
    errno = EINVAL;
    return -1;
}

int __real_epoll_wait(int fd, epoll_event* events, int count, int timeout);
int __wrap_epoll_wait(int fd, epoll_event* events, int count, int timeout) {
    if (is_due("loop")) throw std::runtime_error("the loop cannot wait");
    return __real_epoll_wait(fd, events, count, timeout);
}

}  // extern "C"

// Scheduler::pop(), which the executor calls between two jobs.
using Popped = std::optional<tegu::daemon::Waiting>;
Popped real_pop(tegu::daemon::Scheduler* scheduler) asm("__real__ZN4tegu6daemon9Scheduler3popEv");
Popped wrapped_pop(tegu::daemon::Scheduler* scheduler) asm("__wrap__ZN4tegu6daemon9Scheduler3popEv");
Popped wrapped_pop(tegu::daemon::Scheduler* scheduler) {
    if (is_due("executor")) throw std::runtime_error("the executor cannot go on");
    return real_pop(scheduler);
}

int main(int argc, char** argv) {
    return tegu::daemon::run_daemon(argc, argv);
}
