// SPDX-License-Identifier: Apache-2.0
// GpuBackend: runs jobs on one GPU. All CUDA calls for the device (context, memory, jobs) run on its
// executor's thread.
#pragma once

#include <atomic>
#include <future>
#include <memory>

#include "config/settings.h"
#include "daemon/jobs/executor.h"
#include "kernels/device/gpu_runner.h"

namespace tegu::daemon {

// Memory use of a device after the last job or control task.
struct GpuUse {
    std::uint64_t buffers = 0;      // client buffers with a copy or a registration
    std::uint64_t arena_bytes = 0;  // of the device
    std::uint64_t arena_used_bytes = 0;

    GpuUse& operator+=(const GpuUse& other);
};

class GpuJobRunner;

class GpuBackend final : public JobBackend {
  public:
    // `fallback` runs jobs that lack GPU memory and may run elsewhere; it outlives this. `opened` receives
    // the result of opening the device; after an error the backend is idle until it is stopped.
    GpuBackend(const device::DeviceInfo& device, const config::Settings::Gpu& settings, Executor& fallback,
               std::promise<Result<void>> opened);
    ~GpuBackend() override;

    Target target() const override { return Target::Gpu; }
    void start() override;
    unsigned jobs_beside() const override { return beside_.load(std::memory_order_relaxed); }
    void set_meanwhile(std::function<bool()> work) override { meanwhile_ = std::move(work); }
    Outcome run(JobTask& task, const kernels::StopToken& stop) override;
    void pass(std::shared_ptr<JobTask> task) override { fallback_.submit(std::move(task)); }
    Result<void> probe() override;
    void end() override;

    // Resources of the device's kernels, or why they are unknown. Constant once opened: any thread.
    const Result<std::vector<cuda::KernelResources>>& kernels() const { return kernels_; }
    GpuUse use() const { return {buffers_.load(), arena_bytes_.load(), arena_used_bytes_.load()}; }
    // Executor thread, between jobs.
    void forget(std::uint64_t buffer_id);
    void allow_registering(std::uint64_t buffer_id, bool allowed) {
        runner_->allow_registering(buffer_id, allowed);
    }
    // Times a sample; the input is copied or registered once for all samples. REQUIRES: memory.prepare() was
    // true, and the memory exists until forget_samples().
    SampleTime time_sample(const Job& job, const SampleMemory& memory);
    void forget_samples();

  private:
    Result<void> open();
    Outcome try_to_run(GpuJobRunner& runner, JobTask& task, const kernels::StopToken& stop);
    void publish();

    const device::DeviceInfo device_;
    const config::Settings::Gpu settings_;
    Executor& fallback_;
    std::promise<Result<void>> opened_;
    std::unique_ptr<device::Gpu> gpu_;
    std::unique_ptr<device::GpuRunner> runner_;
    std::vector<std::unique_ptr<GpuJobRunner>> jobs_;  // one for each job at a time
    std::size_t depth_ = 0;                            // jobs that run
    std::optional<Error> lost_;                        // the error that ended the device
    std::function<bool()> meanwhile_;
    std::atomic<unsigned> beside_{0};
    Result<std::vector<cuda::KernelResources>> kernels_ = std::vector<cuda::KernelResources>();
    std::atomic<std::uint64_t> buffers_{0}, arena_bytes_{0}, arena_used_bytes_{0};
};

}  // namespace tegu::daemon
