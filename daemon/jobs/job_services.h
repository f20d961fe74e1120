// SPDX-License-Identifier: Apache-2.0
// JobServices: executors, tuning tables, placement and cost probes. Io thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/settings.h"
#include "daemon/jobs/executors.h"
#include "daemon/jobs/job_index.h"
#include "daemon/placement/cost_probe.h"
#include "daemon/placement/placement.h"
#include "daemon/tuning/tuning.h"

namespace tegu::daemon {

struct JobServices {
    // `files` is a thread for file access; it and `settings` outlive this. `wake` as in Executor, for all
    // executors. Returns when each GPU is ready or has failed.
    JobServices(const config::Settings& settings, const std::string& sysroot,
                const std::function<void()>& wake, HelperThread& files);

    const Gpus& gpus() const { return executors.gpus(); }
    // Copies the costs of the tuning tables in force to the placement, if they are new.
    void take_costs();
    // Applies reloaded settings. `files` reads the tuning tables again.
    void reload(HelperThread& files);
    std::uint64_t next_ticket() { return ++last_ticket_; }

    const config::Settings& settings;
    const unsigned threads;  // of the CPU's pool
    Executors executors;
    Tuning tuning;
    Placement placement;
    CostProbe probe;
    JobRunner inline_runner{nullptr};  // of jobs on the io thread
    JobIndex index;

  private:
    std::shared_ptr<const TuningState> costs_of_;  // the state whose costs the placement has
    std::uint64_t last_ticket_ = 0;
};

}  // namespace tegu::daemon
