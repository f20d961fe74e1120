// SPDX-License-Identifier: Apache-2.0
// Faults: one call of one kind fails, once, chosen from outside. A program that is linked with faults.cpp and
// tegu_link_faults() has its allocations and its calls into the C library counted. The driver shares a file
// with it, $TEGU_FAULTS, that is mapped as FaultControl: it writes an order, and the program lets that call
// fail and says so in the same place, so that neither sees half of what the other does.
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
    X(ppoll)                \
    X(sendto)               \
    X(shutdown)             \
    X(fstatfs)              \
    X(pread)                \
    X(getrandom)            \
    X(pipe2)                \
    X(munmap)               \
    X(mremap)               \
    X(mprotect)             \
    X(inotify_init1)        \
    X(inotify_add_watch)

enum class Kind : std::uint32_t {
    None,
#define TEGU_X(name) name,
    TEGU_FAULT_KINDS(TEGU_X)
#undef TEGU_X
        Count
};

// 0: nothing is to fail. Else its Kind, 16 bits for the errno of the call that fails, 32 bits for which one
// it is, 1: the next.
using Order = std::uint64_t;
inline constexpr Order kFired = ~Order{0};  // what an order becomes with the call that fails

constexpr Order make_order(Kind kind, int error, std::uint32_t countdown) {
    return static_cast<Order>(kind) | static_cast<Order>(error) << 16 | static_cast<Order>(countdown) << 32;
}

struct FaultControl {
    std::atomic<Order> order;
    std::atomic<std::uint32_t> counts[static_cast<std::uint32_t>(Kind::Count)];  // calls so far
};

}  // namespace tegu::faults
