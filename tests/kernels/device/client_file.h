// SPDX-License-Identifier: Apache-2.0
// A client's buffer as the daemon holds it: a memfd with a read-only and a writable mapping, and the client's
// own.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "base/fd.h"
#include "kernels/device/client_memory.h"

namespace tegu::device::test {

class ClientFile {
  public:
    ClientFile(std::uint64_t id, std::size_t bytes)
        : fd_(static_cast<int>(::syscall(SYS_memfd_create, "client", 3U))), bytes_(bytes) {
        if (::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0) std::abort();
        own_ = map(PROT_READ | PROT_WRITE);
        buffer_.id = id;
        buffer_.readable = map(PROT_READ);
        buffer_.writable = map(PROT_READ | PROT_WRITE);
        buffer_.bytes = bytes;
    }
    ~ClientFile() {
        for (std::byte* mapping : {own_, buffer_.readable, buffer_.writable})
            if (mapping != nullptr) (void)::munmap(mapping, bytes_);
    }
    ClientFile(const ClientFile&) = delete;
    ClientFile& operator=(const ClientFile&) = delete;

    std::int32_t* values() const { return reinterpret_cast<std::int32_t*>(own_); }  // the client's
    ClientBuffer& buffer() { return buffer_; }
    // As a freeze does: nobody writes any more.
    bool seal() {
        (void)::munmap(own_, bytes_);
        (void)::munmap(buffer_.writable, bytes_);
        own_ = map(PROT_READ);
        buffer_.writable = nullptr;
        buffer_.sealed = ::fcntl(fd_.get(), 1033, 0x8) == 0;  // F_ADD_SEALS, F_SEAL_WRITE
        return buffer_.sealed;
    }

  private:
    std::byte* map(int protection) const {
        // A descriptor of its own for reading, as the daemon has: else its mapping would stand in the way of
        // a seal.
        const std::string path = "/proc/self/fd/" + std::to_string(fd_.get());
        const Fd opened(::open(path.c_str(), (protection & PROT_WRITE) != 0 ? O_RDWR : O_RDONLY));
        void* const mapped = ::mmap(nullptr, bytes_, protection, MAP_SHARED, opened.get(), 0);
        if (mapped == MAP_FAILED) std::abort();
        return static_cast<std::byte*>(mapped);
    }
    Fd fd_;
    std::size_t bytes_;
    std::byte* own_ = nullptr;
    ClientBuffer buffer_;
};

}  // namespace tegu::device::test
