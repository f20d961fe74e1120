// SPDX-License-Identifier: Apache-2.0
// GpuExecutor: the io thread's interface to the thread of one GPU. It runs jobs and releases buffers.
#pragma once

#include <future>
#include <memory>

#include "daemon/gpus/gpu_backend.h"

namespace tegu::daemon {

// Io thread, unless stated otherwise.
class GpuExecutor final : public BufferDevice {
  public:
    // Starts the thread. `opened` becomes ready when the device is open or failed; after an error call
    // stop(). `fallback` as in GpuBackend, `wake` and `name` as in Executor.
    static std::shared_ptr<GpuExecutor> start(const device::DeviceInfo& device,
                                              const config::Settings& settings, Executor& fallback,
                                              std::function<void()> wake, const char* name,
                                              std::future<Result<void>>& opened);
    ~GpuExecutor() override;

    const device::DeviceInfo& device() const { return device_; }
    // As in GpuBackend. REQUIRES: not stopped.
    const Result<std::vector<cuda::KernelResources>>& kernels() const { return backend_->kernels(); }
    // REQUIRES: not stopped.
    Executor& executor() { return *executor_; }
    const Executor& executor() const { return *executor_; }
    GpuUse use() const { return stopped() ? GpuUse() : backend_->use(); }
    // As in Executor. REQUIRES: not stopped.
    void post(std::function<void(GpuBackend&)> work, std::function<void()> done);
    // Ends the thread; waits for the running job.
    void stop();
    bool stopped() const { return executor_ == nullptr; }

    void forget(std::uint64_t buffer_id, std::function<void()> then) override;
    void allow_registering(std::uint64_t buffer_id, bool allowed, std::function<void()> then) override;

  private:
    explicit GpuExecutor(device::DeviceInfo device) : device_(std::move(device)) {}
    const device::DeviceInfo device_;
    GpuBackend* backend_ = nullptr;  // the executor's
    std::unique_ptr<Executor> executor_;
};

}  // namespace tegu::daemon
