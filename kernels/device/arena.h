// SPDX-License-Identifier: Apache-2.0
// Arena: GPU memory that is kept from job to job, within a limit. Blocks come in a few sizes (four to an
// octave). So a warm arena serves jobs of similar sizes without an allocation, which on a Jetson costs a
// millisecond and waits for the device.
#pragma once

#include <map>

#include "kernels/device/gpu.h"

namespace tegu::device {

class Arena;

// A block of an arena's memory. The destructor returns it to the arena. Move-only.
class Block {
  public:
    Block() = default;
    Block(Block&& other) noexcept
        : arena_(std::exchange(other.arena_, nullptr)), data_(other.data_), bytes_(other.bytes_) {}
    Block& operator=(Block&& other) noexcept;
    ~Block() { reset(); }

    explicit operator bool() const { return arena_ != nullptr; }
    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }  // at least the requested size
    Arena* arena() const { return arena_; }
    void reset();
    // Never reuses the memory: its user is unknown.
    void abandon();

  private:
    friend class Arena;
    Block(Arena* arena, void* data, std::size_t bytes) : arena_(arena), data_(data), bytes_(bytes) {}
    Arena* arena_ = nullptr;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

class Arena {
  public:
    enum class Kind { Managed, Device };

    // `limit_bytes`: maximum that the arena holds. `gpu` outlives the arena; the arena outlives its blocks.
    // One thread.
    Arena(Gpu& gpu, Kind kind, std::size_t limit_bytes) : gpu_(gpu), kind_(kind), limit_(limit_bytes) {}
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // Returns memory with unspecified content; managed memory is attached to the host. Errors: OutOfMemory
    // (the limit or the device), DeviceLost.
    Result<Block> take(std::size_t bytes);

    // Frees all unused blocks to the device.
    void trim();

    Gpu& gpu() const { return gpu_; }
    Kind kind() const { return kind_; }
    std::size_t limit_bytes() const { return limit_; }
    std::size_t held_bytes() const { return held_; }
    std::size_t used_bytes() const { return used_; }
    std::uint64_t allocations() const { return allocations_; }
    std::uint64_t refusals() const { return refusals_; }  // allocations refused by the device

    // The size of the block that serves a request of `bytes`.
    static std::size_t block_bytes(std::size_t bytes);

  private:
    friend class Block;
    void give_back(void* data, std::size_t bytes);
    Result<void*> allocate(std::size_t bytes);
    void free_one();
    void release(void* data, std::size_t bytes);

    Gpu& gpu_;
    Kind kind_;
    std::size_t limit_;
    std::size_t held_ = 0;
    std::size_t used_ = 0;
    std::uint64_t allocations_ = 0;
    std::uint64_t refusals_ = 0;
    std::multimap<std::size_t, void*> free_;  // by size
};

}  // namespace tegu::device
