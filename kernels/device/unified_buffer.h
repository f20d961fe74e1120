// SPDX-License-Identifier: Apache-2.0
// UnifiedBuffer: managed memory with an owner: either the host or one stream. A call in the wrong state
// returns an Error. Touching the memory in the wrong state would end the process on a Nano.
#pragma once

#include <memory>

#include "base/span.h"
#include "kernels/device/arena.h"

namespace tegu::device {

class UnifiedBuffer {
    struct State {
        Block block;
        Stream stream = nullptr;  // null: the host's
        unsigned views = 0;
    };

  public:
    // The host's access to the memory. While a view exists, the buffer cannot be attached to a stream.
    // Move-only; ends before its buffer.
    class HostView {
      public:
        HostView(HostView&& other) noexcept
            : state_(std::exchange(other.state_, nullptr)), bytes_(other.bytes_) {}
        HostView& operator=(HostView&&) = delete;
        ~HostView() {
            if (state_ != nullptr) --state_->views;
        }
        MutableBytes bytes() const { return bytes_; }

      private:
        friend class UnifiedBuffer;
        HostView(State* state, MutableBytes bytes) : state_(state), bytes_(bytes) { ++state_->views; }
        State* state_;
        MutableBytes bytes_;
    };

    // The buffer belongs to the host; its content is unspecified. `arena` holds managed memory and outlives
    // the buffer. Errors: those of Arena::take().
    static Result<UnifiedBuffer> create(Arena& arena, std::size_t bytes);
    UnifiedBuffer(UnifiedBuffer&&) noexcept = default;
    UnifiedBuffer& operator=(UnifiedBuffer&& other) noexcept;
    // First takes the memory back from its stream, which waits for that stream.
    ~UnifiedBuffer() { end(); }

    std::size_t bytes() const { return bytes_; }
    std::size_t block_bytes() const {
        return state_ == nullptr ? 0 : state_->block.bytes();
    }                       // taken from the arena
    Stream stream() const;  // that owns it; null: none
    bool host_owned() const { return state_ != nullptr && state_->stream == nullptr; }

    // Errors: Internal, if a stream owns the buffer.
    Result<HostView> host_view();
    // Attaches the buffer to kernels of the stream, for any number of jobs. Errors: Internal, if another
    // stream owns it or a view exists; DeviceLost.
    Result<void> attach(Stream stream);
    // The address for kernels of the stream. Errors: Internal, if it is not attached to that one.
    Result<void*> device_data(Stream stream) const;
    // Returns the buffer to the host; waits for all work of its stream, and of no other. Does nothing if the
    // host owns it. Errors: DeviceLost.
    Result<void> detach();

  private:
    UnifiedBuffer(Block block, std::size_t bytes);
    void end();
    bool prefetches() const;

    std::unique_ptr<State> state_;
    std::size_t bytes_ = 0;
};

}  // namespace tegu::device
