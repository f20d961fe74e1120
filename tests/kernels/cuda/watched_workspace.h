// SPDX-License-Identifier: Apache-2.0
// A workspace that counts what a job takes and waits for, and may cancel the job while it waits.
#pragma once

#include <algorithm>
#include <atomic>

#include "kernels/execution/cuda/context.h"
#include "kernels/operation.h"

namespace tegu::test {

class WatchedWorkspace final : public cuda::Workspace {
  public:
    // Cancels at the wait with that number, from 1; 0: never. `inner` outlives it.
    explicit WatchedWorkspace(cuda::Workspace* inner, int cancelling_wait = 0)
        : inner_(inner), cancelling_wait_(cancelling_wait) {}

    kernels::StopToken stop() const {
        return kernels::StopToken(&cancelled_, kernels::StopToken::Clock::time_point::max());
    }
    int waits() const { return waits_; }
    std::size_t taken_bytes() const { return taken_; }
    std::size_t largest_copy() const { return largest_copy_; }  // to or from the host

    Result<void*> take(std::size_t bytes) override {
        taken_ += bytes;
        return inner_->take(bytes);
    }
    Result<void*> take_zeroed(std::size_t bytes) override {
        taken_ += bytes;
        return inner_->take_zeroed(bytes);
    }
    Result<void> read(void* to, const void* from, std::size_t bytes) override {
        largest_copy_ = std::max(largest_copy_, bytes);
        return inner_->read(to, from, bytes);
    }
    Result<void> write(void* to, const void* from, std::size_t bytes) override {
        largest_copy_ = std::max(largest_copy_, bytes);
        return inner_->write(to, from, bytes);
    }
    Result<void> copy(void* to, const void* from, std::size_t bytes) override {
        return inner_->copy(to, from, bytes);
    }
    Result<void> synchronize() override {
        if (++waits_ == cancelling_wait_) cancelled_ = true;
        return inner_->synchronize();
    }
    void reset() override { inner_->reset(); }

  private:
    cuda::Workspace* inner_;
    std::atomic<bool> cancelled_{false};
    int cancelling_wait_;
    int waits_ = 0;
    std::size_t taken_ = 0;
    std::size_t largest_copy_ = 0;
};

}  // namespace tegu::test
