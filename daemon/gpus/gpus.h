// SPDX-License-Identifier: Apache-2.0
// Gpus: the GPUs that run jobs, each with a thread of its own. A daemon without a usable GPU has none, and
// says why. Which ones are wanted is a setting: on a board there is one, on a machine with several jobs can
// be spread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "daemon/gpus/gpu_executor.h"
#include "kernels/device/device_info.h"

namespace tegu::daemon {

class WarmUp;

// What the daemon knows of GPUs; does not change while it runs.
struct GpuStatus {
    std::vector<device::DeviceInfo> devices;  // that run jobs
    bool degraded = false;                    // one that should run jobs does not
    std::string reason;                       // why none does, or not all that should; empty if they do
    bool runs() const { return !devices.empty(); }
};

// The devices that gpu.devices and gpu.memory_class ask for, as far as they can be used. `reason`: what
// stands in the way of others. Pure.
GpuStatus choose_devices(const device::DeviceList& list, const config::Settings::Gpu& settings);

// Io thread.
class Gpus {
  public:
    // Looks for devices, starts a thread for each that is wanted, and returns when all have theirs or it is
    // known why not. `fallback`: for jobs that a GPU has no memory for; outlives it. `wake` as of Executor.
    Gpus(const config::Settings& settings, Executor& fallback, const std::function<void()>& wake);
    ~Gpus() { stop(); }
    Gpus(const Gpus&) = delete;
    Gpus& operator=(const Gpus&) = delete;

    const GpuStatus& status() const { return status_; }
    const std::vector<std::shared_ptr<GpuExecutor>>& all() const { return all_; }
    // Gives the job to the GPU of its choice, or to all that are idle, if it is to be divided and can be.
    // REQUIRES: all() is not empty.
    void submit(std::shared_ptr<JobTask> task);
    // False: a job like this one is never divided.
    static bool may_divide(const PreparedJob& prepared);

    // As of Executor, for all. Jobs that were divided are joined, or begin again if they cannot be; of one
    // that is removed all pieces that wait are taken out, and it ends when those have ended that run.
    // REQUIRES: a job for which remove() says false is to be stopped.
    bool remove(const JobTask& task);
    ExecutorLoad load() const;
    std::optional<Error> failure() const;
    void take_done(TaskList& done);
    void run_done_control_tasks();
    bool has_control_tasks() const;
    void set_quantum(std::uint64_t quantum_ns);
    GpuUse use() const;
    // Ends all threads; waits for the jobs that run. What they hold of buffers is gone then.
    void stop();

  private:
    void open_unless_it_fails(const config::Settings& settings, Executor& fallback,
                              const std::function<void()>& wake);
    void open(const config::Settings& settings, Executor& fallback, const std::function<void()>& wake,
              WarmUp& warm_up);
    std::size_t least_loaded() const;
    void submit_to(std::size_t gpu, const std::shared_ptr<JobTask>& task, const PreparedJob& prepared);
    bool divide(const std::shared_ptr<JobTask>& task);
    std::shared_ptr<JobTask> end_piece(JobTask& piece);
    void run_whole(const std::shared_ptr<JobTask>& whole);

    GpuStatus status_;
    std::vector<std::shared_ptr<GpuExecutor>> all_;  // parallel to status_.devices; empty after stop()
};

}  // namespace tegu::daemon
