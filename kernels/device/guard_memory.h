// SPDX-License-Identifier: Apache-2.0
// The memory of a GuardGpu. Each piece has two mappings: the public address, whose page permissions the host
// loses while a GPU would own it, and a second address for simulated kernels. So a kernel can compute while
// any touch by the host ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "kernels/device/gpu.h"

namespace tegu::device {

class GuardMemory {
  public:
    enum class Kind { Managed, Device, Registered, Pinned };

    // `limit_bytes`: managed and device memory together.
    explicit GuardMemory(std::size_t limit_bytes) : limit_(limit_bytes) {}
    ~GuardMemory();
    GuardMemory(const GuardMemory&) = delete;
    GuardMemory& operator=(const GuardMemory&) = delete;

    // Managed memory starts as the host's; device memory is never the host's, pinned memory always is.
    // Errors: OutOfMemory, Io.
    Result<void*> allocate(Kind kind, std::size_t bytes);
    // Maps the pages of a shared mapping a second time; the result is not host memory. Errors: Unsupported,
    // for a private mapping.
    Result<void*> add_mapping(void* data, std::size_t bytes);
    // Errors: DeviceLost, if the shared mapping no longer exists: a kernel could have read foreign pages.
    // Needs no memory unless it fails.
    Result<void> remove_mapping(void* data);
    // REQUIRES: memory of allocate(); managed memory belongs to the host.
    void release(void* memory);

    // Counts `bytes` as used elsewhere.
    void take_elsewhere(std::size_t bytes);
    std::size_t free_bytes() const;

    // Sets the host's permissions for managed memory. False: the system refuses, and they are unchanged.
    bool allow_host(void* memory, bool allowed);
    // Sets the stream whose kernels may touch the memory; null: the host. In stream order.
    void set_owner(void* memory, Stream stream);
    // Sets the permissions for every piece that the stream owns, from the start of its first kernel to the
    // end of its last. False: some are unchanged.
    bool allow_host_of(Stream stream, bool allowed);

    // The second address of [data, data + bytes). `stream`: the accessing stream. Ordinary memory is its own
    // second address. Errors: DeviceLost, with the fault that a GPU would report: an overrun, managed memory
    // of another stream, or a registered mapping that no longer exists.
    enum class Access { Kernel, Copy };
    Result<std::byte*> translate(const void* data, std::size_t bytes, Stream stream, Access access) const;
    bool knows(const void* data) const;

  private:
    // The file behind a mapping; all zero: none, or unknown.
    struct MappedFile {
        std::uint64_t device = 0, inode = 0;
        std::int64_t offset = 0;
        bool operator==(const MappedFile& other) const {
            return device == other.device && inode == other.inode && offset == other.offset;
        }
    };
    struct Piece {
        Kind kind;
        std::size_t bytes;   // the requested size
        std::size_t mapped;  // whole pages
        std::byte* second;
        void* registered;  // the registered address; null for other kinds
        MappedFile file;   // the file behind it at registration
        Stream owner;
    };
    using Pieces = std::map<std::uintptr_t, Piece>;
    Pieces::const_iterator find(const void* data) const;
    static std::optional<MappedFile> mapped_file(const void* data, std::size_t bytes);
    static bool is_there(const Piece& piece);
    void unmap(Pieces::iterator piece);

    std::size_t limit_;
    mutable std::mutex mutex_;  // guards all below, and page permissions
    std::size_t held_ = 0;
    std::size_t elsewhere_ = 0;
    Pieces pieces_;
};

}  // namespace tegu::device
