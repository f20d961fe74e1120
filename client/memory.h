// SPDX-License-Identifier: Apache-2.0
// Memory: a memfd and its mapping in this process. The descriptor is kept as long as the memory, so that a
// buffer survives the daemon: a reconnect registers the same descriptor with its content.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fd.h"
#include "base/result.h"

namespace tegu::clientlib {

class Memory {
  public:
    // A new memfd of `bytes`: every page allocated, sealed against growing and shrinking, mapped for reading
    // and writing, zero. Errors: OutOfMemory, Io.
    static Result<Memory> create(std::uint64_t bytes);
    // A descriptor that the daemon made. It must be a memfd sealed against shrinking and at least `bytes`
    // long, so that no peer can make an access here fault. Errors: BadDescriptor, Io.
    static Result<Memory> adopt(Fd fd, std::uint64_t bytes);
    // A duplicate of the caller's descriptor, not mapped. Errors: BadDescriptor, Io.
    static Result<Memory> duplicate(int fd, std::uint64_t bytes);

    Memory(Memory&& other) noexcept;
    Memory& operator=(Memory&& other) noexcept;
    ~Memory();

    // Maps the content read-only at the same address, without preventing a seal; or writable again. No effect
    // on memory that is not mapped.
    Result<void> make_read_only();
    Result<void> make_writable();

    std::byte* data() const { return data_; }  // null if not mapped
    std::uint64_t bytes() const { return bytes_; }
    int fd() const { return fd_.get(); }

  private:
    Memory(Fd fd, std::uint64_t bytes) : fd_(std::move(fd)), bytes_(bytes) {}
    Result<void> map();
    Result<void> remap(int protection, int flags);

    Fd fd_;
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0;
};

}  // namespace tegu::clientlib
