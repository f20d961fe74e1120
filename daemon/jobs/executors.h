// SPDX-License-Identifier: Apache-2.0
// Executors: all that run the jobs which the io thread does not run itself, and what is asked of all of them
// together. The CPU has two: the executor, with the whole pool, and the express lane, with one thread, for
// short jobs beside a long one of another user. Each GPU has one.
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
    // `threads`: of the CPU's pool. `wake` as of Executor, for all. Returns when all GPUs are ready or it is
    // known why not.
    Executors(const config::Settings& settings, unsigned threads, const std::function<void()>& wake);

    const Executor& cpu() const { return cpu_; }
    const Executor& express() const { return express_; }
    // To be done between two jobs of the CPU, as of Executor::post().
    void post_to_cpu(std::function<void(CpuBackend&)> work, std::function<void()> done);
    Gpus& gpus() { return gpus_; }
    const Gpus& gpus() const { return gpus_; }

    // To where its choice says.
    void submit(std::shared_ptr<JobTask> task);
    // Takes a job out before it starts, wherever it waits. False: it runs, or is done.
    bool remove(const JobTask& task);
    TaskList take_done();
    void run_done_control_tasks();
    bool has_control_tasks() const { return cpu_.has_control_tasks() || gpus_.has_control_tasks(); }
    ExecutorLoad load() const;
    // Of each, by its name in reports: the CPU, its express lane, the GPUs.
    std::vector<std::pair<std::string, ExecutorLoad>> loads() const;
    // Of the two of the CPU.
    std::optional<Error> failure() const;
    void set_quantum(std::uint64_t quantum_ns);
    // Jobs of the express lane are short: they keep their core.
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
