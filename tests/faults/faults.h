// SPDX-License-Identifier: Apache-2.0
// Faults: one call of one kind fails, once, chosen from outside. A program that is linked with faults.cpp and tegu_link_faults() has its
// allocations and its calls into the C library counted. The driver shares a file with it, $TEGU_FAULTS, that is mapped as FaultControl:
// it writes `countdown` and `error`, then `armed`, and the program lets that call fail and says so in `fired`.
#pragma once

#include <atomic>
#include <cstdint>

namespace tegu::faults {

// X(name): the numbers are the places in this list, from 1. fault_driver.py reads it here.
#define TEGU_FAULT_KINDS(X) \
    X(allocate)             \
    X(thread)               \
    X(accept4)              \
    X(epoll_create1)        \
    X(epoll_ctl)            \
    X(epoll_wait)           \
    X(eventfd)              \
    X(timerfd_create)       \
    X(timerfd_settime)      \
    X(recvmsg)              \
    X(recv)                 \
    X(sendmsg)              \
    X(send)                 \
    X(getsockopt)           \
    X(setsockopt)           \
    X(poll)                 \
    X(read)                 \
    X(write)                \
    X(open)                 \
    X(openat)               \
    X(fstat)                \
    X(fcntl)                \
    X(ftruncate)            \
    X(fallocate)            \
    X(mmap)                 \
    X(madvise)              \
    X(memfd_create)         \
    X(syscall)              \
    X(socket)               \
    X(connect)              \
    X(ppoll)

enum class Kind : std::uint32_t {
    None,
#define TEGU_X(name) name,
    TEGU_FAULT_KINDS(TEGU_X)
#undef TEGU_X
        Count
};

struct FaultControl {
    std::atomic<std::uint32_t> armed;      // a Kind; back to None when it fired
    std::atomic<std::uint32_t> countdown;  // 1: the next call
    std::atomic<std::uint32_t> error;      // errno of the call that fails
    std::atomic<std::uint32_t> fired;
    std::atomic<std::uint32_t> counts[static_cast<std::uint32_t>(Kind::Count)];  // calls so far
};

}  // namespace tegu::faults
