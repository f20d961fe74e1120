// SPDX-License-Identifier: Apache-2.0
// The allocations of C++ are replaced, those of the libraries in C++ with them; calls into the C library are
// replaced by the linker (--wrap) where this project's code and the headers that it includes make them. So a
// sanitizer's runtime stays in its place below.
//
// What the daemon calls besides, by `nm -D --undefined-only`, does not fail on the path of a job:
//   close                 has ended the descriptor whatever it returns, and nobody looks
//   clock_gettime, getpid, getauxval, sysconf, getenv, inet_*, strto*, *printf and the like: have no way to
//   fail as they are called
//   ioctl                 FIONBIO of a descriptor that is open, and SIOCOUTQ of the journal's socket as the
//                         daemon ends
//   pthread_mutex_*, _cond_*, _once, _join, _detach, _sigmask, _setname_np: need nothing of the kernel that
//   it can refuse pthread_create, pipe, epoll_create: Boost.Asio's for name resolution, and for kernels that
//   lack eventfd or epoll_create1 malloc, calloc, posix_memalign: called by this file alone; what the C
//   library takes for itself is not the project's fdopendir, readdir, closedir, fstatvfs: of the board's
//   health, which a thread of its own reads between jobs; open, openat, fstat and read
//                         of that thread do fail here, and damaged boards are tests of their own
//   bind, listen, getsockname, sd_is_socket, flock, lstat, stat, umask, unlink, rename, access, fwrite,
//   getrlimit, setrlimit, signal, sigaction, sigfillset, raise, pause: as the daemon starts or ends, and
//   nobody's job is there
#include "tests/faults/faults.h"

#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>

using tegu::faults::FaultControl;
using tegu::faults::kFired;
using tegu::faults::Kind;
using tegu::faults::Order;

extern "C" {
int __real_open(const char* path, int flags, ...);
void* __real_mmap(void* address, std::size_t bytes, int protection, int flags, int fd, off_t offset);
}

namespace {

FaultControl* map_control() {
    const char* path = std::getenv("TEGU_FAULTS");
    const int fd = path == nullptr ? -1 : __real_open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return nullptr;
    void* const memory =
        __real_mmap(nullptr, sizeof(FaultControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    return memory == MAP_FAILED ? nullptr : static_cast<FaultControl*>(memory);
}

// Where the call that fails is made, for whoever looks for a cause.
void print_place() {
    static const bool wanted = std::getenv("TEGU_FAULTS_TRACE") != nullptr;
    if (!wanted) return;
    void* frames[24];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 24), STDERR_FILENO);
}

// True: this is the call that fails, with errno set.
bool fails(Kind kind) {
    static FaultControl* const control = map_control();
    if (control == nullptr) return false;
    control->counts[static_cast<std::uint32_t>(kind)].fetch_add(1, std::memory_order_relaxed);
    Order order = control->order.load();
    for (;;) {
        if (order == kFired || (order & 0xffff) != static_cast<Order>(kind)) return false;
        const bool last = order >> 32 == 1;
        if (!control->order.compare_exchange_weak(order, last ? kFired : order - (Order{1} << 32))) continue;
        if (!last) return false;
        break;
    }
    print_place();
    errno = static_cast<int>(order >> 16 & 0xffff);
    return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
    if (fails(Kind::allocate)) return nullptr;
    if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes == 0 ? 1 : bytes);
    void* memory = nullptr;
    return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const memory = allocate(bytes, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
    return allocate_or_throw(bytes, 1);
}
void* operator new[](std::size_t bytes) {
    return allocate_or_throw(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return allocate(bytes, 1);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return allocate(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

// std::thread's constructor. `state` is a std::unique_ptr of a type that newer libraries keep private: the
// ABI passes the address of what has a destructor.
void real_start(std::thread* thread, void* state, void (*depend)()) asm(
    "__real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");
void wrapped_start(std::thread* thread, void* state, void (*depend)()) asm(
    "__wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");
void wrapped_start(std::thread* thread, void* state, void (*depend)()) {
    if (fails(Kind::thread)) throw std::system_error(errno, std::generic_category());
    real_start(thread, state, depend);
}

extern "C" {

// A function with fixed parameters.
#define TEGU_WRAP(type, name, parameters, arguments)         \
    type __real_##name parameters;                           \
    type __wrap_##name parameters {                          \
        if (fails(Kind::name)) return static_cast<type>(-1); \
        return __real_##name arguments;                      \
    }
TEGU_WRAP(int, accept4, (int socket, sockaddr* address, socklen_t* length, int flags),
          (socket, address, length, flags))
TEGU_WRAP(int, epoll_create1, (int flags), (flags))
TEGU_WRAP(int, epoll_wait, (int fd, epoll_event* events, int count, int timeout),
          (fd, events, count, timeout))
TEGU_WRAP(int, eventfd, (unsigned value, int flags), (value, flags))
TEGU_WRAP(int, timerfd_create, (int clock, int flags), (clock, flags))
TEGU_WRAP(int, timerfd_settime, (int fd, int flags, const itimerspec* value, itimerspec* old),
          (fd, flags, value, old))
TEGU_WRAP(ssize_t, recvmsg, (int fd, msghdr* message, int flags), (fd, message, flags))
TEGU_WRAP(ssize_t, recv, (int fd, void* to, std::size_t bytes, int flags), (fd, to, bytes, flags))
TEGU_WRAP(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), (fd, message, flags))
TEGU_WRAP(ssize_t, send, (int fd, const void* from, std::size_t bytes, int flags), (fd, from, bytes, flags))
TEGU_WRAP(int, getsockopt, (int fd, int level, int name, void* value, socklen_t* length),
          (fd, level, name, value, length))
TEGU_WRAP(int, setsockopt, (int fd, int level, int name, const void* value, socklen_t length),
          (fd, level, name, value, length))
TEGU_WRAP(int, poll, (pollfd * entries, nfds_t count, int timeout), (entries, count, timeout))
TEGU_WRAP(ssize_t, read, (int fd, void* to, std::size_t bytes), (fd, to, bytes))
TEGU_WRAP(ssize_t, write, (int fd, const void* from, std::size_t bytes), (fd, from, bytes))
TEGU_WRAP(int, fstat, (int fd, struct stat* status), (fd, status))
TEGU_WRAP(int, ftruncate, (int fd, off_t bytes), (fd, bytes))
TEGU_WRAP(int, fallocate, (int fd, int mode, off_t offset, off_t bytes), (fd, mode, offset, bytes))
TEGU_WRAP(int, madvise, (void* address, std::size_t bytes, int advice), (address, bytes, advice))
TEGU_WRAP(int, memfd_create, (const char* name, unsigned flags), (name, flags))
TEGU_WRAP(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
TEGU_WRAP(int, connect, (int fd, const sockaddr* address, socklen_t length), (fd, address, length))
TEGU_WRAP(int, ppoll, (pollfd * entries, nfds_t count, const timespec* limit, const sigset_t* mask),
          (entries, count, limit, mask))
TEGU_WRAP(ssize_t, sendto,
          (int fd, const void* from, std::size_t bytes, int flags, const sockaddr* to, socklen_t length),
          (fd, from, bytes, flags, to, length))
TEGU_WRAP(int, shutdown, (int fd, int how), (fd, how))
TEGU_WRAP(int, inotify_init1, (int flags), (flags))
TEGU_WRAP(int, inotify_add_watch, (int fd, const char* path, std::uint32_t mask), (fd, path, mask))
TEGU_WRAP(int, fstatfs, (int fd, struct statfs* status), (fd, status))
TEGU_WRAP(ssize_t, pread, (int fd, void* to, std::size_t bytes, off_t offset), (fd, to, bytes, offset))
TEGU_WRAP(ssize_t, getrandom, (void* to, std::size_t bytes, unsigned flags), (to, bytes, flags))
TEGU_WRAP(int, pipe2, (int* ends, int flags), (ends, flags))
TEGU_WRAP(int, munmap, (void* address, std::size_t bytes), (address, bytes))
TEGU_WRAP(int, mprotect, (void* address, std::size_t bytes, int protection), (address, bytes, protection))
#undef TEGU_WRAP

// Linux needs memory for a descriptor that is added, not for one that is changed or removed: no event source
// of ours has EPOLLWAKEUP.
int __real_epoll_ctl(int fd, int operation, int target, epoll_event* event);
int __wrap_epoll_ctl(int fd, int operation, int target, epoll_event* event) {
    if (operation == EPOLL_CTL_ADD && fails(Kind::epoll_ctl)) return -1;
    return __real_epoll_ctl(fd, operation, target, event);
}

void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
    if (fails(Kind::mmap)) return MAP_FAILED;
    return __real_mmap(address, bytes, protection, flags, fd, offset);
}

// Those with a variable number: what was not given is not looked at.
void* __real_mremap(void* address, std::size_t old_bytes, std::size_t bytes, int flags, ...);
void* __wrap_mremap(void* address, std::size_t old_bytes, std::size_t bytes, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    void* const to = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
    va_end(rest);
    return fails(Kind::mremap) ? MAP_FAILED : __real_mremap(address, old_bytes, bytes, flags, to);
}
int __wrap_open(const char* path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(Kind::open) ? -1 : __real_open(path, flags, mode);
}
int __real_openat(int folder, const char* path, int flags, ...);
int __wrap_openat(int folder, const char* path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(Kind::openat) ? -1 : __real_openat(folder, path, flags, mode);
}
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...) {
    std::va_list rest;
    va_start(rest, command);
    void* const argument = va_arg(rest, void*);
    va_end(rest);
    return fails(Kind::fcntl) ? -1 : __real_fcntl(fd, command, argument);
}
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
    std::va_list rest;
    va_start(rest, number);
    long arguments[6];
    for (long& argument : arguments) argument = va_arg(rest, long);
    va_end(rest);
    if (number != SYS_futex && fails(Kind::syscall)) return -1;
    return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                          arguments[5]);
}

}  // extern "C"
