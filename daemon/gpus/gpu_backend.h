// SPDX-License-Identifier: Apache-2.0
// GpuBackend: one GPU, on the thread of its executor. Every CUDA call for the device happens there: the
// context, memory, jobs.
#pragma once

#include <atomic>
#include <future>
#include <memory>

#include "config/settings.h"
#include "daemon/jobs/executor.h"
#include "kernels/device/gpu_runner.h"

namespace tegu::daemon {

// What is held of a device, after the last job or control task.
struct GpuUse {
    std::uint64_t buffers = 0;      // of clients, that there are copies or registrations of
    std::uint64_t arena_bytes = 0;  // of the device
    std::uint64_t arena_used_bytes = 0;

    GpuUse& operator+=(const GpuUse& other);
};

class GpuJobRunner;

class GpuBackend final : public JobBackend {
  public:
    // Jobs that the GPU has no memory for, and that may run elsewhere, go to `fallback`, which outlives it.
    // `opened` is told whether the device could be opened: with an error it only waits for its end.
    GpuBackend(const device::DeviceInfo& device, const config::Settings::Gpu& settings, Executor& fallback,
               std::promise<Result<void>> opened);
    ~GpuBackend() override;

    Target target() const override { return Target::Gpu; }
    void start() override;
    Outcome run(JobTask& task, const kernels::StopToken& stop) override;
    void pass(std::shared_ptr<JobTask> task) override { fallback_.submit(std::move(task)); }
    Result<void> probe() override;
    void end() override;

    // What the device's kernels take of it, or why that is not known. Constant once opened: any thread.
    const Result<std::vector<cuda::KernelResources>>& kernels() const { return kernels_; }
    GpuUse use() const { return {buffers_.load(), arena_bytes_.load(), arena_used_bytes_.load()}; }
    // The executor's thread, between jobs.
    void forget(std::uint64_t buffer_id);
    void allow_registering(std::uint64_t buffer_id, bool allowed) {
        runner_->allow_registering(buffer_id, allowed);
    }
    // Times a sample, whose input is copied or registered once for all samples. REQUIRES: memory.prepare()
    // was true, and the memory stays until forget_samples().
    SampleTime time_sample(const Job& job, const SampleMemory& memory);
    void forget_samples();

  private:
    Result<void> open();
    Outcome try_to_run(JobTask& task, const kernels::StopToken& stop);
    void publish();

    const device::DeviceInfo device_;
    const config::Settings::Gpu settings_;
    Executor& fallback_;
    std::promise<Result<void>> opened_;
    std::unique_ptr<device::Gpu> gpu_;
    std::unique_ptr<device::GpuRunner> runner_;
    std::unique_ptr<GpuJobRunner> jobs_;
    Result<std::vector<cuda::KernelResources>> kernels_ = std::vector<cuda::KernelResources>();
    std::atomic<std::uint64_t> buffers_{0}, arena_bytes_{0}, arena_used_bytes_{0};
};

}  // namespace tegu::daemon
