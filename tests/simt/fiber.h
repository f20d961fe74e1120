// SPDX-License-Identifier: Apache-2.0
// One thread of a block as a Boost.Context fiber, with what AddressSanitizer has to be told when stacks
// change.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>
#include <memory>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace tegu::simt {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStackBytes = 256 << 10;  // redzones make frames large
#else
constexpr std::size_t kStackBytes = 64 << 10;
#endif

// A stack that outlives the fibers that run on it one after another.
class Stack {
  public:
    Stack() : memory_(new std::byte[kStackBytes]) {}
    std::byte* bottom() const { return memory_.get(); }

  private:
    std::unique_ptr<std::byte[]> memory_;
};

class Fiber {
  public:
    // Starts suspended. `stack` outlives the fiber and runs no other one.
    Fiber(const Stack& stack, std::function<void()> body) : stack_(stack), body_(std::move(body)) {
        boost::context::stack_context context;
        context.sp = stack.bottom() + kStackBytes;
        context.size = kStackBytes;
        inside_ = boost::context::fiber(
            std::allocator_arg, boost::context::preallocated(context.sp, context.size, context), Borrowed{},
            [this](boost::context::fiber&& outside) { return run(std::move(outside)); });
    }
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Runs it until it suspends or ends. REQUIRES: it has not ended.
    void resume() {
#if defined(__SANITIZE_ADDRESS__)
        void* fake = nullptr;
        __sanitizer_start_switch_fiber(&fake, stack_.bottom(), kStackBytes);
        inside_ = std::move(inside_).resume();
        __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
        inside_ = std::move(inside_).resume();
#endif
    }
    // Called inside: back to resume().
    void suspend() {
#if defined(__SANITIZE_ADDRESS__)
        void* fake = nullptr;
        __sanitizer_start_switch_fiber(&fake, outer_bottom_, outer_bytes_);
        outside_ = std::move(outside_).resume();
        __sanitizer_finish_switch_fiber(fake, &outer_bottom_, &outer_bytes_);
#else
        outside_ = std::move(outside_).resume();
#endif
    }
    bool ended() const {
        return ended_;
    }

  private:
    struct Borrowed {  // the stack is not the fiber's
        boost::context::stack_context allocate() { return {}; }
        void deallocate(boost::context::stack_context&) {}
    };

    boost::context::fiber run(boost::context::fiber&& outside) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(nullptr, &outer_bottom_, &outer_bytes_);
#endif
        outside_ = std::move(outside);
        body_();
        ended_ = true;
#if defined(__SANITIZE_ADDRESS__)
        // null: this stack's fake frames go
        __sanitizer_start_switch_fiber(nullptr, outer_bottom_, outer_bytes_);
#endif
        return std::move(outside_);
    }

    const Stack& stack_;
    std::function<void()> body_;
    boost::context::fiber inside_;   // to go in
    boost::context::fiber outside_;  // to go back
    bool ended_ = false;
#if defined(__SANITIZE_ADDRESS__)
    const void* outer_bottom_ = nullptr;
    std::size_t outer_bytes_ = 0;
#endif
};

}  // namespace tegu::simt
