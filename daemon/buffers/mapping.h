// SPDX-License-Identifier: Apache-2.0
// What the daemon does with a memfd: check that nothing which its owner does can kill or bloat the daemon,
// map it, seal it, make one. The rules and what each is against are in docs/daemon/buffers.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "wire/protocol.h"

namespace tegu::daemon {

// A shared mapping of the first `bytes` of a memfd; unmapped at the end. Move-only.
class Mapping {
  public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping() { reset(); }

    // Through a descriptor of our own, opened read-only: such a mapping does not stand in the way of
    // F_SEAL_WRITE.
    static Result<Mapping> read_only(int memfd, std::uint64_t bytes);
    static Result<Mapping> writable(int memfd, std::uint64_t bytes);

    std::byte* data() const { return data_; }  // null: not mapped
    void reset();

  private:
    Mapping(std::byte* data, std::uint64_t bytes) : data_(data), bytes_(bytes) {}
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0;
};

// Whether it is memory: only that has seals. fstat of anything else may wait for whoever serves it, of a file
// in user space (FUSE) for one.
bool has_seals(int fd);

// A file of at most so many bytes gets its pages, and gives them back, sooner than another thread could be
// asked to.
inline constexpr std::uint64_t kSmallBytes = 64 * 1024;
// Whether the end of the file of `fd` takes long, of all of it. REQUIRES: it is known to be memory or a pipe.
bool is_large(int fd);

// Makes a client's descriptor safe to map: it must be a memfd on ordinary pages, at least `bytes` long and
// not sparse, and it is sealed against shrinking. For ReadWrite it must be open for writing and not sealed
// against it. Errors: BadDescriptor with field "descriptor".
Result<void> secure_memfd(int fd, std::uint64_t bytes, wire::Access access);

// All of its first `bytes` are backed by pages: reading them makes none that would be charged to the daemon.
// Errors: BadDescriptor, Io.
Result<void> check_not_sparse(int fd, std::uint64_t bytes);

// A memfd that can neither grow nor shrink, whose pages are still to be made with populate_memfd().
Result<Fd> make_memfd(std::uint64_t bytes);
// Makes the pages of [begin, begin + bytes). Errors: OutOfMemory.
Result<void> populate_memfd(int fd, std::uint64_t begin, std::uint64_t bytes);

// Adds F_SEAL_WRITE. REQUIRES: no writable mapping of ours. Errors: BadDescriptor if somebody else maps it
// for writing, or if `fd` may not be sealed.
Result<void> seal_against_writing(int fd);

bool is_sealed_against_writing(int fd);

}  // namespace tegu::daemon
