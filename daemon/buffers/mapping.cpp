// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/mapping.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <string>

// Ubuntu 18.04's headers lack these; the numbers are the kernel's.
#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 0x1U
#define MFD_ALLOW_SEALING 0x2U
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#define F_SEAL_SEAL 0x1
#define F_SEAL_SHRINK 0x2
#define F_SEAL_GROW 0x4
#define F_SEAL_WRITE 0x8
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x10
#endif

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks, whatever the file system

Error bad_descriptor(std::string allowed, std::string message) {
    return field_error(Status::BadDescriptor, "descriptor", std::move(allowed), std::move(message));
}

Result<Mapping> map_error(int os_code) {
    return io_error("mmap of a buffer", os_code);
}

// Memfds on huge pages are refused: after a punched hole, a read with an empty huge page pool would kill the
// process.
Result<void> check_is_memfd(int fd) {
    const bool is_memory = has_seals(fd);
    struct statfs file_system;
    if (is_memory && ::fstatfs(fd, &file_system) != 0) return io_error("fstatfs of a descriptor", errno);
    if (!is_memory || file_system.f_type != TMPFS_MAGIC)
        return bad_descriptor("a memfd on ordinary pages", "the descriptor is not a memfd on ordinary pages");
    return {};
}

Result<void> seal_against_shrinking(int fd) {
    // Checks the seals after F_ADD_SEALS instead of its result: the memfd may have been sealed before.
    (void)::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0) return {};
    return bad_descriptor(
        "a memfd made with MFD_ALLOW_SEALING and open for writing, or sealed with F_SEAL_SHRINK",
        "the descriptor cannot be sealed against shrinking");
}

Result<void> check_can_write(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) != O_RDWR)
        return bad_descriptor("a memfd open for reading and writing",
                              "the descriptor is not open for reading and writing");
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) != 0)
        return bad_descriptor("a memfd that is not sealed against writing",
                              "the descriptor is sealed against writing");
    return {};
}

}  // namespace

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    if (this != &other) {
        reset();
        data_ = std::exchange(other.data_, nullptr);
        bytes_ = other.bytes_;
    }
    return *this;
}

// munmap may fail for lack of kernel memory. Memory that stays mapped remains charged (held_memory.h).
void Mapping::reset() {
    constexpr int kTries = 3;
    for (int tries = 0; data_ != nullptr && tries < kTries; ++tries)
        if (::munmap(data_, bytes_) == 0) break;
    data_ = nullptr;
}

Result<Mapping> Mapping::read_only(int memfd, std::uint64_t bytes) {
    const std::string path = "/proc/self/fd/" + std::to_string(memfd);
    const Fd reopened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!reopened)
        return bad_descriptor("a memfd that the daemon may open for reading",
                              io_error("the descriptor cannot be opened for reading", errno).message);
    void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, reopened.get(), 0);
    if (data == MAP_FAILED) return map_error(errno);
    return Mapping(static_cast<std::byte*>(data), bytes);
}

Result<Mapping> Mapping::writable(int memfd, std::uint64_t bytes) {
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    if (data == MAP_FAILED) return map_error(errno);
    return Mapping(static_cast<std::byte*>(data), bytes);
}

Result<void> check_not_sparse(int fd, std::uint64_t bytes) {
    struct stat status;
    if (::fstat(fd, &status) != 0) return io_error("fstat of a descriptor", errno);
    const std::uint64_t present = static_cast<std::uint64_t>(status.st_blocks) * kBlockBytes;
    if (present >= bytes) return {};
    return bad_descriptor("a memfd with all its pages, made by fallocate or by writing",
                          "the memfd is sparse: " + std::to_string(present) + " of " + std::to_string(bytes) +
                              " bytes are there");
}

bool has_seals(int fd) {
    return ::fcntl(fd, F_GET_SEALS) >= 0;
}

bool is_large(int fd) {
    struct stat file;
    return ::fstat(fd, &file) == 0 && file.st_size > static_cast<off_t>(kSmallBytes);
}

Result<void> secure_memfd(int fd, std::uint64_t bytes, wire::Access access) {
    Result<void> memfd = check_is_memfd(fd);
    if (!memfd) return memfd;
    if (access == wire::Access::ReadWrite) {
        Result<void> can_write = check_can_write(fd);
        if (!can_write) return can_write;
    }
    Result<void> sealed = seal_against_shrinking(fd);
    if (!sealed) return sealed;
    struct stat status;
    if (::fstat(fd, &status) != 0) return io_error("fstat of a descriptor", errno);
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size < bytes)
        return bad_descriptor("a memfd of at least " + std::to_string(bytes) + " bytes",
                              "the memfd has " + std::to_string(size) + " bytes, fewer than the buffer");
    return check_not_sparse(fd, size);
}

Result<Fd> make_memfd(std::uint64_t bytes) {
    Fd fd(static_cast<int>(::syscall(SYS_memfd_create, "tegud-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
    if (!fd) return io_error("memfd_create", errno);
    if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
        return io_error("ftruncate of a buffer", errno);
    if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        return io_error("sealing a buffer", errno);
    return fd;
}

Result<void> populate_memfd(int fd, std::uint64_t begin, std::uint64_t bytes) {
    while (::fallocate(fd, 0, static_cast<off_t>(begin), static_cast<off_t>(bytes)) != 0) {
        if (errno == EINTR) continue;
        return make_error(Status::OutOfMemory, io_error("memory for a buffer", errno).message);
    }
    return {};
}

bool is_sealed_against_writing(int fd) {
    const int seals = ::fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_WRITE) != 0;
}

Result<void> seal_against_writing(int fd) {
    if (is_sealed_against_writing(fd) || ::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0) return {};
    if (errno == EBUSY)
        return bad_descriptor("a buffer that no process maps for writing",
                              "somebody still maps the buffer for writing: unmap it, or map it read-only");
    return bad_descriptor("a memfd open for writing that may be sealed",
                          io_error("the buffer cannot be sealed against writing", errno).message);
}

}  // namespace tegu::daemon
