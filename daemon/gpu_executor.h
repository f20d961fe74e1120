// SPDX-License-Identifier: Apache-2.0
// GpuExecutor: the thread of the GPU. All that CUDA is asked happens there: looking for devices, making the context, memory, jobs; the io
// thread asks it to run jobs and to forget buffers. A daemon without a usable GPU has none, and says why.
#pragma once

#include <memory>
#include <string>

#include "config/settings.h"
#include "daemon/executor.h"
#include "kernels/device/device_info.h"

namespace tegu::daemon {

// What the daemon knows of GPUs; does not change while it runs.
struct GpuStatus {
    bool runs = false;
    bool degraded = false;      // there should be one
    std::string reason;         // why none runs jobs; empty if one does
    device::DeviceInfo device;  // the one that runs jobs
};

// What it holds of the device, after the last job or errand.
struct GpuUse {
    std::uint64_t buffers = 0;      // of clients, that it holds copies or registrations of
    std::uint64_t arena_bytes = 0;  // of the device
    std::uint64_t arena_used_bytes = 0;
};

class GpuStation;

// Io thread, but for what is said otherwise.
class GpuExecutor final : public BufferDevice {
  public:
    // Starts the thread, and returns when it has the GPU or knows that there is none: then it has ended. Jobs that the GPU has no memory
    // for, and that may run elsewhere, go to `fallback`, which outlives it. `wake` as of Executor.
    static std::shared_ptr<GpuExecutor> start(const config::Settings& settings, Executor& fallback,
                                              std::function<void()> wake, GpuStatus& status);
    ~GpuExecutor() override;

    bool can_run(const Job& job) const;
    // REQUIRES: not stopped.
    Executor& executor() { return *executor_; }
    const Executor& executor() const { return *executor_; }
    GpuUse use() const;
    // Ends the thread; waits for the job that runs. Io thread.
    void stop();
    bool stopped() const { return executor_ == nullptr; }

    void forget(std::uint64_t buffer_id, std::function<void()> then) override;
    void allow_registering(std::uint64_t buffer_id, bool allowed, std::function<void()> then) override;

  private:
    GpuExecutor() = default;
    GpuStation* station_ = nullptr;  // the executor's
    std::unique_ptr<Executor> executor_;
};

}  // namespace tegu::daemon
