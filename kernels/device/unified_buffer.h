// SPDX-License-Identifier: Apache-2.0
// UnifiedBuffer: managed memory with an owner. It is always in exactly one state: the host's, or attached to
// one stream; what is asked of it in the wrong state is refused with an Error instead of ending the process,
// as a touch of the memory would on a Nano.
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
    // The host's hold on the memory: while it lives, the buffer goes to no stream. Move-only; ends before its
    // buffer.
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

    // The host's, content unspecified. `arena` holds managed memory and outlives the buffer. Errors: those of
    // Arena::take().
    static Result<UnifiedBuffer> create(Arena& arena, std::size_t bytes);
    UnifiedBuffer(UnifiedBuffer&&) noexcept = default;
    UnifiedBuffer& operator=(UnifiedBuffer&& other) noexcept;
    // Takes the memory back from its stream first, which waits for that stream.
    ~UnifiedBuffer() { end(); }

    std::size_t bytes() const { return bytes_; }
    std::size_t block_bytes() const { return state_ == nullptr ? 0 : state_->block.bytes(); }  // of the arena
    bool host_owned() const { return state_ != nullptr && state_->stream == nullptr; }

    // Errors: Internal, if a stream has it.
    Result<HostView> host_view();
    // Gives it to kernels of the stream, for as many jobs as follow. Errors: Internal, if another stream has
    // it or a view is held; DeviceLost.
    Result<void> attach(Stream stream);
    // The address for kernels of the stream. Errors: Internal, if it is not attached to that one.
    Result<void*> device_data(Stream stream) const;
    // Back to the host: waits for all work of its stream, and of no other. Nothing to do if it is the host's.
    // Errors: DeviceLost.
    Result<void> detach();

  private:
    UnifiedBuffer(Block block, std::size_t bytes);
    void end();
    bool prefetches() const;

    std::unique_ptr<State> state_;
    std::size_t bytes_ = 0;
};

}  // namespace tegu::device
