// SPDX-License-Identifier: Apache-2.0
// Checks, maps, seals and creates memfds. The checks protect the daemon from crashes and memory growth
// through a client's memfd. docs/daemon/buffers.md lists the rules and the attacks that they prevent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "wire/protocol.h"

namespace tegu::daemon {

// A shared mapping of the first `bytes` of a memfd; the destructor unmaps it. Move-only.
class Mapping {
  public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping() { reset(); }

    // Maps through a new read-only descriptor, because such a mapping permits F_SEAL_WRITE.
    static Result<Mapping> read_only(int memfd, std::uint64_t bytes);
    static Result<Mapping> writable(int memfd, std::uint64_t bytes);

    std::byte* data() const { return data_; }  // null: not mapped
    void reset();

  private:
    Mapping(std::byte* data, std::uint64_t bytes) : data_(data), bytes_(bytes) {}
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0;
};

// Whether `fd` is memory: only memory has seals. fstat of other files may block, for example on FUSE.
bool has_seals(int fd);

// Up to this size, allocating and freeing pages takes less time than a handover to another thread.
inline constexpr std::uint64_t kSmallBytes = 64 * 1024;
// Whether freeing the whole file of `fd` takes long. REQUIRES: `fd` is known to be memory or a pipe.
bool is_large(int fd);

// Makes a client's descriptor safe to map and seals it against shrinking. It must be a memfd on ordinary
// pages, at least `bytes` long and not sparse. For ReadWrite it must be open for writing and not sealed
// against writing. Errors: BadDescriptor with field "descriptor".
Result<void> secure_memfd(int fd, std::uint64_t bytes, wire::Access access);

// Checks that pages back all of the first `bytes`, so that reading allocates none at the daemon's cost.
// Errors: BadDescriptor, Io.
Result<void> check_not_sparse(int fd, std::uint64_t bytes);

// Creates a memfd of fixed size without pages; populate_memfd() allocates them.
Result<Fd> make_memfd(std::uint64_t bytes);
// Allocates the pages of [begin, begin + bytes). Errors: OutOfMemory.
Result<void> populate_memfd(int fd, std::uint64_t begin, std::uint64_t bytes);

// Adds F_SEAL_WRITE. REQUIRES: this process has no writable mapping. Errors: BadDescriptor if another process
// maps it for writing, or if `fd` may not be sealed.
Result<void> seal_against_writing(int fd);

bool is_sealed_against_writing(int fd);

}  // namespace tegu::daemon
