// SPDX-License-Identifier: Apache-2.0
// The memory of a GuardGpu. Each piece is mapped twice: at the address that everybody knows, whose page
// permissions are taken from the host as long as a GPU would own it, and at a second one, known to fake
// kernels alone. So a kernel can compute while any touch by the host ends the process.
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
    enum class Kind { Managed, Device, Registered };

    // `limit_bytes`: of managed and device memory together.
    explicit GuardMemory(std::size_t limit_bytes) : limit_(limit_bytes) {}
    ~GuardMemory();
    GuardMemory(const GuardMemory&) = delete;
    GuardMemory& operator=(const GuardMemory&) = delete;

    // Managed: the host's. Device: never the host's. Errors: OutOfMemory, Io.
    Result<void*> allocate(Kind kind, std::size_t bytes);
    // A second mapping of the pages of a shared mapping; what it returns is no memory of the host. Errors:
    // Unsupported, for a private one.
    Result<void*> add_mapping(void* data, std::size_t bytes);
    // Errors: DeviceLost, if the shared mapping is not there any more: the pages of somebody else could have
    //         been read. Needs no memory unless it fails.
    Result<void> remove_mapping(void* data);
    // REQUIRES: memory of allocate(); managed memory is the host's.
    void release(void* memory);

    // So much is gone besides.
    void take_elsewhere(std::size_t bytes);
    std::size_t free_bytes() const;

    // Permissions of the host for managed memory. False: the system refuses, and they are as they were.
    bool allow_host(void* memory, bool allowed);
    // Who kernels of which stream may touch it; null: the host. In stream order.
    void set_owner(void* memory, Stream stream);
    // For every piece that the stream owns, beginning with its owner's first kernel and ending with the last.
    // False: of some they are as they were.
    bool allow_host_of(Stream stream, bool allowed);

    // The second address of [data, data + bytes). `stream`: who asks. Ordinary memory is its own second
    // address.
    // Errors: DeviceLost, with what a GPU would have run into: beyond the end, managed memory that is not the
    //         stream's, or a registered mapping
    // that is not there any more.
    enum class Access { Kernel, Copy };
    Result<std::byte*> translate(const void* data, std::size_t bytes, Stream stream, Access access) const;
    bool knows(const void* data) const;

  private:
    // What is mapped somewhere; all zero: nothing of which that can be told.
    struct MappedFile {
        std::uint64_t device = 0, inode = 0;
        std::int64_t offset = 0;
        bool operator==(const MappedFile& other) const {
            return device == other.device && inode == other.inode && offset == other.offset;
        }
    };
    struct Piece {
        Kind kind;
        std::size_t bytes;   // that were asked for
        std::size_t mapped;  // whole pages
        std::byte* second;
        void* registered;  // what was registered; null for other kinds
        MappedFile file;   // that was mapped there
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
