// SPDX-License-Identifier: Apache-2.0
// JobServices: all that runs jobs and chooses where: executors, tuning tables, placement and its
// measurements. Io thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/settings.h"
#include "daemon/jobs/executors.h"
#include "daemon/placement/cost_probe.h"
#include "daemon/placement/placement.h"
#include "daemon/tuning/tuning.h"

namespace tegu::daemon {

struct JobServices {
    // `settings` and `files`, a thread for files, outlive it. `wake` as of Executor, for all executors.
    // Returns when all GPUs are ready or have failed.
    JobServices(const config::Settings& settings, const std::string& sysroot,
                const std::function<void()>& wake, HelperThread& files);

    const Gpus& gpus() const { return executors.gpus(); }
    // Gives the placement the costs of the tuning tables in force, if they are new.
    void take_costs();
    // Takes what a reload of the settings may have changed. Tuning tables are read again on `files`.
    void reload(HelperThread& files);
    std::uint64_t next_ticket() { return ++last_ticket_; }

    const config::Settings& settings;
    const unsigned threads;  // of the CPU's pool
    Executors executors;
    Tuning tuning;
    Placement placement;
    CostProbe probe;
    JobRunner inline_runner{nullptr};  // of jobs on the io thread

  private:
    std::shared_ptr<const TuningState> costs_of_;  // whose costs the placement has
    std::uint64_t last_ticket_ = 0;
};

}  // namespace tegu::daemon
