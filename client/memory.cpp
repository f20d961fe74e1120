// SPDX-License-Identifier: Apache-2.0
#include "client/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace tegu::clientlib {
namespace {

#ifndef MFD_NOEXEC_SEAL
constexpr unsigned kNoExecSeal = 0x0008u;
#else
constexpr unsigned kNoExecSeal = MFD_NOEXEC_SEAL;
#endif

// Uses MFD_NOEXEC_SEAL where the Linux kernel supports it (6.3): some systems require it.
int make_memfd() {
    const int fd = memfd_create("tegu-client", MFD_CLOEXEC | MFD_ALLOW_SEALING | kNoExecSeal);
    return fd >= 0 || errno != EINVAL ? fd : memfd_create("tegu-client", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

Error out_of_memory(std::uint64_t bytes) {
    return make_error(Status::OutOfMemory,
                      "a buffer of " + std::to_string(bytes) + " bytes could not be allocated");
}

}  // namespace

Result<Memory> Memory::create(std::uint64_t bytes) {
    if (bytes > INT64_MAX || bytes > SIZE_MAX) return out_of_memory(bytes);
    Memory memory(Fd(make_memfd()), bytes);
    if (!memory.fd_) return io_error("memfd_create", errno);
    int failed;
    do failed = fallocate(memory.fd(), 0, 0, static_cast<off_t>(bytes));
    while (failed != 0 && errno == EINTR);
    if (failed != 0)
        return errno == ENOSPC || errno == ENOMEM || errno == EFBIG ? out_of_memory(bytes)
                                                                    : io_error("fallocate", errno);
    if (fcntl(memory.fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        return io_error("F_ADD_SEALS", errno);
    if (auto mapped = memory.map(); !mapped) return std::move(mapped).error();
    return memory;
}

Result<Memory> Memory::adopt(Fd fd, std::uint64_t bytes) {
    Memory memory(std::move(fd), bytes);
    struct stat status;
    if (fstat(memory.fd(), &status) != 0) return io_error("fstat", errno);
    const int seals = fcntl(memory.fd(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || status.st_size < 0 ||
        static_cast<std::uint64_t>(status.st_size) < bytes || bytes > SIZE_MAX)
        return make_error(Status::BadDescriptor,
                          "the daemon sent a descriptor that is not a sealed memfd of the promised size");
    if (auto mapped = memory.map(); !mapped) return std::move(mapped).error();
    return memory;
}

Result<Memory> Memory::duplicate(int fd, std::uint64_t bytes) {
    Memory memory(Fd(fcntl(fd, F_DUPFD_CLOEXEC, 0)), bytes);
    if (memory.fd_) return memory;
    if (errno == EBADF)
        return field_error(Status::BadDescriptor, "fd", "an open memfd", "the descriptor is not open");
    return io_error("F_DUPFD_CLOEXEC", errno);
}

Memory::Memory(Memory&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

Memory::~Memory() {
    if (data_ != nullptr) munmap(data_, bytes_);
}

Result<void> Memory::map() {
    void* address = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd(), 0);
    if (address == MAP_FAILED) return errno == ENOMEM ? out_of_memory(bytes_) : io_error("mmap", errno);
    data_ = static_cast<std::byte*>(address);
    return {};
}

Result<void> Memory::remap(int protection, int flags) {
    if (data_ == nullptr) return {};
    if (mmap(data_, bytes_, protection, flags | MAP_FIXED, fd(), 0) == MAP_FAILED)
        return io_error("mmap", errno);
    return {};
}

// The mapping is private, because a shared mapping of a writable descriptor counts as a writer even if it is
// read-only: F_SEAL_WRITE would fail. The pages stay shared, because the mapping cannot be written.
Result<void> Memory::make_read_only() {
    return remap(PROT_READ, MAP_PRIVATE);
}

Result<void> Memory::make_writable() {
    return remap(PROT_READ | PROT_WRITE, MAP_SHARED);
}

}  // namespace tegu::clientlib
