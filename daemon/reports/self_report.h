// SPDX-License-Identifier: Apache-2.0
// What the daemon knows of itself, gathered for its health: who may connect may see all of it, as the users
// of a machine see each other's processes. Of a client that is its user, process, name, what it holds and
// what its jobs have cost, and messages of errors; never data or handles.
#pragma once

#include "daemon/health/daemon_report.h"

namespace tegu::daemon {

struct ReportSources;

inline constexpr std::size_t kMostClientsReported = 64;

// Io thread.
health::DaemonReport self_report(const ReportSources& sources);

}  // namespace tegu::daemon
