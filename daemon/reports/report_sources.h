// SPDX-License-Identifier: Apache-2.0
// ReportSources: the inputs of INFO, STATS, HEALTH, scrapes and the service manager's status line. Io thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/jobs/executor.h"
#include "daemon/service/stop_state.h"

namespace tegu::daemon {

class BoardHealth;
class DescriptorStore;
class Quotas;
class SessionTable;
class Watchdog;
struct DaemonRecord;
struct JobServices;
struct Listener;
struct SettingsInForce;

struct ReportSources {
    const SettingsInForce& settings;
    const Listener& listener;
    const DaemonRecord& record;
    const Quotas& quotas;
    const SessionTable& sessions;
    const DescriptorStore& store;
    const JobServices& jobs;
    const Watchdog& watchdog;
    const BoardHealth& health;
    const StopState& stop;
};

// Loads of the io thread ("inline") and of each executor, by name in reports.
std::vector<std::pair<std::string, ExecutorLoad>> executor_loads(const ReportSources& sources);

}  // namespace tegu::daemon
