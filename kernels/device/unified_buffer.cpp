// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/unified_buffer.h"

#include <cassert>

namespace tegu::device {
namespace {

Error misuse(const char* message) {
    return make_error(Status::Internal, message);
}

}  // namespace

UnifiedBuffer::UnifiedBuffer(Block block, std::size_t bytes)
    : state_(new State{std::move(block), nullptr, 0}), bytes_(bytes) {}

Result<UnifiedBuffer> UnifiedBuffer::create(Arena& arena, std::size_t bytes) {
    assert(arena.kind() == Arena::Kind::Managed);
    Result<Block> block = arena.take(bytes);
    if (!block) return std::move(block).error();
    return UnifiedBuffer(std::move(block).value(), bytes);
}

UnifiedBuffer& UnifiedBuffer::operator=(UnifiedBuffer&& other) noexcept {
    if (this != &other) {
        end();
        state_ = std::move(other.state_);
        bytes_ = other.bytes_;
    }
    return *this;
}

void UnifiedBuffer::end() {
    if (state_ == nullptr) return;
    assert(state_->views == 0 && "a host view outlives its buffer");
    if (!detach()) state_->block.abandon();  // the device is lost, and the process is about to end
    state_.reset();
}

bool UnifiedBuffer::prefetches() const {
    return state_->block.arena()->gpu().info().attributes.concurrent_managed_access;
}

Stream UnifiedBuffer::stream() const {
    return state_ == nullptr ? nullptr : state_->stream;
}

Result<UnifiedBuffer::HostView> UnifiedBuffer::host_view() {
    if (!host_owned()) return misuse("a host view of a buffer that a stream has");
    return HostView(state_.get(), MutableBytes(static_cast<std::byte*>(state_->block.data()), bytes_));
}

Result<void> UnifiedBuffer::attach(Stream stream) {
    if (state_ == nullptr || stream == nullptr) return misuse("no buffer or no stream to attach");
    if (state_->stream == stream) return {};
    if (state_->stream != nullptr) return misuse("the buffer is attached to another stream");
    if (state_->views != 0) return misuse("the host still holds a view of the buffer");
    Gpu& gpu = state_->block.arena()->gpu();
    Result<void> attached = gpu.attach_to_stream(state_->block.data(), stream);
    if (!attached) return attached;
    state_->stream = stream;
    return prefetches() && bytes_ > 0 ? gpu.prefetch_to_device(state_->block.data(), bytes_, stream)
                                      : Result<void>();
}

Result<void*> UnifiedBuffer::device_data(Stream stream) const {
    if (state_ == nullptr || stream == nullptr || state_->stream != stream)
        return misuse("the buffer is not attached to this stream");
    return state_->block.data();
}

Result<void> UnifiedBuffer::detach() {
    if (state_ == nullptr) return misuse("no buffer to detach");
    if (state_->stream == nullptr) return {};
    Gpu& gpu = state_->block.arena()->gpu();
    Result<void> done = gpu.attach_to_host(state_->block.data(), state_->stream);
    if (done && prefetches() && bytes_ > 0) {
        done = gpu.prefetch_to_host(state_->block.data(), bytes_, state_->stream);
        if (!done && done.error().status == Status::OutOfMemory)
            done = Result<void>();  // the pages move when they are touched
    }
    if (done) done = gpu.synchronize(state_->stream);
    if (done) state_->stream = nullptr;
    return done;
}

}  // namespace tegu::device
