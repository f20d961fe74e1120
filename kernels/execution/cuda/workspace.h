// SPDX-License-Identifier: Apache-2.0
// The workspace of a GPU: blocks of device memory that are kept from job to job, so that a warm device
// allocates nothing.
#pragma once

#include <memory>
#include <vector>

#include "kernels/execution/cuda/context.h"
#include "kernels/execution/cuda/stream_wait.h"

namespace tegu::cuda {

class DeviceWorkspace final : public Workspace {
  public:
    // `limit_bytes`: maximum that it holds. `stream` and `wait` outlive it. REQUIRES, here and in every call:
    // the stream's device is the current device of the calling thread.
    DeviceWorkspace(Stream stream, std::size_t limit_bytes, const StreamWait& wait = kPlainWait)
        : stream_(stream), limit_(limit_bytes), wait_(wait) {}
    ~DeviceWorkspace() override;
    DeviceWorkspace(const DeviceWorkspace&) = delete;
    DeviceWorkspace& operator=(const DeviceWorkspace&) = delete;

    Result<void*> take(std::size_t bytes) override;
    Result<void*> take_zeroed(std::size_t bytes) override;
    Result<void*> take_counters(std::size_t bytes) override;
    void counters_are_left_zero() override { counters_are_zero_ = counters_are_zero_ || counters_are_lent_; }
    Result<void*> take_shown(std::size_t bytes) override;
    Result<void> read(void* to, const void* from, std::size_t bytes) override;
    Result<void> write(void* to, const void* from, std::size_t bytes) override;
    Result<void> copy(void* to, const void* from, std::size_t bytes) override;
    Result<void> synchronize() override;
    void reset() override;

    std::size_t held_bytes() const { return held_; }

  private:
    struct Slab {
        char* memory;
        std::size_t bytes;
    };
    Result<void> grow(std::size_t bytes);
    void drop();

    Stream stream_;
    std::size_t limit_;
    const StreamWait& wait_;
    std::vector<Slab> slabs_;  // after a reset, one slab has the capacity that the last job took
    std::size_t used_ = 0;     // of the last slab
    std::size_t taken_ = 0;    // by the job, of all slabs
    std::size_t held_ = 0;
    Slab counters_{nullptr, 0};                     // kept from job to job, beside the slabs
    void* shown_ = nullptr;                         // memory of the host
    std::vector<std::unique_ptr<char[]>> written_;  // data of write(), until the stream is done
    bool counters_are_zero_ = false;
    bool counters_are_lent_ = false;  // to the last job that took any; else it has other memory, or none
};

}  // namespace tegu::cuda
