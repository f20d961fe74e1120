// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/arena.h"

#include <cassert>
#include <iterator>
#include <new>

namespace tegu::device {
namespace {

constexpr std::size_t kSmallestBlock = 64 << 10;  // a page of the GPU

}  // namespace

Block& Block::operator=(Block&& other) noexcept {
    if (this != &other) {
        reset();
        arena_ = std::exchange(other.arena_, nullptr);
        data_ = other.data_;
        bytes_ = other.bytes_;
    }
    return *this;
}

void Block::reset() {
    if (Arena* const arena = std::exchange(arena_, nullptr)) arena->give_back(data_, bytes_);
}

void Block::abandon() {
    if (Arena* const arena = std::exchange(arena_, nullptr)) arena->used_ -= bytes_;
}

std::size_t Arena::block_bytes(std::size_t bytes) {
    if (bytes <= kSmallestBlock) return kSmallestBlock;
    std::size_t octave = kSmallestBlock;  // octave < bytes <= 2 * octave
    while (octave <= (bytes - 1) / 2) octave *= 2;
    const std::size_t step = octave / 4;
    return (bytes - 1) / step * step + step;
}

Arena::~Arena() {
    assert(used_ == 0 && "blocks outlive their arena");
    trim();
}

Result<Block> Arena::take(std::size_t bytes) {
    if (bytes > limit_)
        return make_error(Status::OutOfMemory, std::to_string(bytes) +
                                                   " bytes are more than may be held for the GPU (" +
                                                   std::to_string(limit_) + ")");
    std::size_t size = block_bytes(bytes);
    if (size > limit_) size = bytes;  // rounding alone must not cause a refusal
    const auto found = free_.find(size);
    void* data = nullptr;
    if (found != free_.end()) {
        data = found->second;
        free_.erase(found);
    } else {
        Result<void*> made = allocate(size);
        if (!made) return std::move(made).error();
        data = *made;
    }
    used_ += size;
    return Block(this, data, size);
}

Result<void*> Arena::allocate(std::size_t bytes) {
    while (held_ + bytes > limit_ && !free_.empty()) free_one();
    if (held_ + bytes > limit_)
        return make_error(Status::OutOfMemory, "the memory held for the GPU is in use (" +
                                                   std::to_string(used_) + " of " + std::to_string(limit_) +
                                                   " bytes)");
    for (;;) {
        Result<void*> made =
            kind_ == Kind::Managed ? gpu_.allocate_managed(bytes) : gpu_.allocate_device(bytes);
        if (made) {
            held_ += bytes;
            ++allocations_;
            return made;
        }
        if (made.error().status == Status::OutOfMemory) ++refusals_;
        if (made.error().status != Status::OutOfMemory || free_.empty()) return made;
        free_one();
    }
}

void Arena::trim() {
    while (!free_.empty()) free_one();
}

void Arena::give_back(void* data, std::size_t bytes) {
    used_ -= bytes;
    try {
        free_.emplace(bytes, data);
    } catch (const std::bad_alloc&) {  // without memory to record the block, it is not kept
        release(data, bytes);
    }
}

// Frees the largest block, so that few calls free enough capacity.
void Arena::free_one() {
    const auto largest = std::prev(free_.end());
    release(largest->second, largest->first);
    free_.erase(largest);
}

void Arena::release(void* data, std::size_t bytes) {
    if (kind_ == Kind::Managed) {
        gpu_.free_managed(data);
    } else {
        gpu_.free_device(data);
    }
    held_ -= bytes;
}

}  // namespace tegu::device
