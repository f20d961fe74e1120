// SPDX-License-Identifier: Apache-2.0
// GpuExecutor: the thread of one GPU, as the io thread sees it: it runs jobs, and is asked to forget buffers.
#pragma once

#include <future>
#include <memory>

#include "daemon/gpus/gpu_backend.h"

namespace tegu::daemon {

// Io thread, but for what is said otherwise.
class GpuExecutor final : public BufferDevice {
  public:
    // Starts the thread. `opened` says when it has the device, or why it does not: then it must be stopped.
    // `fallback` as of GpuBackend, `wake` and `name` as of Executor.
    static std::shared_ptr<GpuExecutor> start(const device::DeviceInfo& device,
                                              const config::Settings& settings, Executor& fallback,
                                              std::function<void()> wake, const char* name,
                                              std::future<Result<void>>& opened);
    ~GpuExecutor() override;

    const device::DeviceInfo& device() const { return device_; }
    // As of GpuBackend. REQUIRES: not stopped.
    const Result<std::vector<cuda::KernelResources>>& kernels() const { return backend_->kernels(); }
    // REQUIRES: not stopped.
    Executor& executor() { return *executor_; }
    const Executor& executor() const { return *executor_; }
    GpuUse use() const { return stopped() ? GpuUse() : backend_->use(); }
    // As of Executor. REQUIRES: not stopped.
    void post(std::function<void(GpuBackend&)> work, std::function<void()> done);
    // Ends the thread; waits for the job that runs.
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
