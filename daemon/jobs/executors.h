// SPDX-License-Identifier: Apache-2.0
// Executors: all executors of the daemon, and operations on all of them. The CPU has two: one with the whole
// pool, and the express lane with one thread for short jobs. Each GPU has one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "daemon/gpus/gpus.h"
#include "daemon/jobs/executor.h"
#include "daemon/service/watchdog.h"

namespace tegu::daemon {

// Io thread.
class Executors {
  public:
    // `threads`: of the CPU's pool. `wake` as in Executor, for all. Returns when each GPU is ready or has
    // failed.
    Executors(const config::Settings& settings, unsigned threads, const std::function<void()>& wake);

    const Executor& cpu() const { return cpu_; }
    const Executor& express() const { return express_; }
    // As Executor::post(), for the CPU's executor with the pool.
    void post_to_cpu(std::function<void(CpuBackend&)> work, std::function<void()> done);
    Gpus& gpus() { return gpus_; }
    const Gpus& gpus() const { return gpus_; }

    // Submits the job to the target of its choice.
    void submit(std::shared_ptr<JobTask> task);
    // Removes a waiting job from any executor. False if it runs or is done.
    bool remove(const JobTask& task);
    TaskList take_done();
    void run_done_control_tasks();
    bool has_control_tasks() const { return cpu_.has_control_tasks() || gpus_.has_control_tasks(); }
    ExecutorLoad load() const;
    // The load of each executor with its name in reports: the CPU, the express lane, the GPUs.
    std::vector<std::pair<std::string, ExecutorLoad>> loads() const;
    // The failure of either CPU executor.
    std::optional<Error> failure() const;
    void set_quantum(std::uint64_t quantum_ns);
    // As in Executor, for the GPUs: the threads of a pool sleep in their own way.
    void set_spin(std::chrono::microseconds limit) { gpus_.set_spin(limit); }
    // Whether a job waits or runs on the CPU.
    bool uses_cpu() const { return cpu_.has_jobs() || express_.has_jobs(); }
    // The express lane is excluded: its jobs are short and keep their core.
    void set_crowded(bool crowded) { cpu_.set_crowded(crowded); }
    std::vector<Watchdog::Part> watched();

  private:
    Executors(const config::Settings& settings, std::unique_ptr<CpuBackend> backend,
              const std::function<void()>& wake);

    CpuBackend* const cpu_backend_;  // of cpu_
    Executor cpu_;
    Executor express_;
    Gpus gpus_;
};

}  // namespace tegu::daemon
