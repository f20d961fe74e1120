// SPDX-License-Identifier: Apache-2.0
// Gpus: the GPUs that run jobs, each with its own thread. Settings select the devices. Without a usable GPU
// the list is empty and status() gives the reason.
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

// The GPUs in use; constant while the daemon runs.
struct GpuStatus {
    std::vector<device::DeviceInfo> devices;  // that run jobs
    bool degraded = false;                    // a selected device does not run jobs
    std::string reason;                       // why a selected device is missing; empty if none is
    std::vector<unsigned> built;              // compute capabilities that there is machine code for
    std::string module;                       // the file with the GPU backend; empty: none, or linked in
    std::string refused_modules;              // newer ones, and why they are not used
    bool runs() const { return !devices.empty(); }
};

// Selects the usable devices according to gpu.devices and gpu.memory_class. `reason`: why others are
// unusable. Pure.
GpuStatus choose_devices(const device::DeviceList& list, const config::Settings::Gpu& settings);

// Io thread.
class Gpus {
  public:
    // Lists devices, starts a thread for each selected one, and returns when each is open or has failed.
    // `fallback`: runs jobs that lack GPU memory; outlives this. `wake` as in Executor.
    Gpus(const config::Settings& settings, Executor& fallback, const std::function<void()>& wake);
    ~Gpus() { stop(); }
    Gpus(const Gpus&) = delete;
    Gpus& operator=(const Gpus&) = delete;

    const GpuStatus& status() const { return status_; }
    const std::vector<std::shared_ptr<GpuExecutor>>& all() const { return all_; }
    // Submits the job to the GPU of its choice, or in pieces to those that share it.
    void submit(const std::shared_ptr<JobTask>& task);

    // As in Executor, for all GPUs. Divided jobs are joined, or run again whole if joining fails. remove()
    // takes out all waiting pieces; the job ends after its running pieces. REQUIRES: the caller stops a job
    // for which remove() is false.
    bool remove(const JobTask& task);
    ExecutorLoad load() const;
    std::optional<Error> failure() const;
    void take_done(TaskList& done);
    void run_done_control_tasks();
    bool has_control_tasks() const;
    void set_quantum(std::uint64_t quantum_ns);
    void set_spin(std::chrono::microseconds limit);
    GpuUse use() const;
    // Ends all threads; waits for running jobs. Afterwards no device holds copies or registrations of
    // buffers.
    void stop();

  private:
    void open_unless_it_fails(const config::Settings& settings, Executor& fallback,
                              const std::function<void()>& wake);
    void open(const config::Settings& settings, Executor& fallback, const std::function<void()>& wake,
              WarmUp& warm_up);
    void submit_to(std::size_t gpu, const std::shared_ptr<JobTask>& task, const PreparedJob& prepared);
    std::shared_ptr<JobTask> end_piece(JobTask& piece);
    void run_whole(const std::shared_ptr<JobTask>& whole);

    GpuStatus status_;
    std::vector<std::shared_ptr<GpuExecutor>> all_;  // parallel to status_.devices; empty after stop()
};

}  // namespace tegu::daemon
