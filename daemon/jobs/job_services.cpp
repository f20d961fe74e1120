// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/job_services.h"

#include <algorithm>
#include <thread>

namespace tegu::daemon {
namespace {

unsigned wanted_threads(const config::Settings& settings) {
    if (settings.executor.threads != 0) return static_cast<unsigned>(settings.executor.threads);
    return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

JobServices::JobServices(const config::Settings& in_force, const std::string& sysroot,
                         const std::function<void()>& wake, HelperThread& files)
    : settings(in_force),
      threads(wanted_threads(settings)),
      executors(settings, threads, wake),
      tuning(settings.tuning, sysroot, gpus().status().devices),
      placement(settings, executors, threads),
      probe(settings, executors, placement, files) {
    executors.set_spin(std::chrono::microseconds(settings.executor.spin_us));
}

void JobServices::take_costs() {
    if (costs_of_ == tuning.state()) return;
    costs_of_ = tuning.state();
    placement.set_tables(*costs_of_);
    probe.seed();
    probe.restart();
}

void JobServices::reload(HelperThread& files) {
    executors.set_quantum(settings.scheduler.quantum_us * 1000);
    executors.set_spin(std::chrono::microseconds(settings.executor.spin_us));
    tuning.reload(settings.tuning, files);
}

}  // namespace tegu::daemon
