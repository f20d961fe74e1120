// SPDX-License-Identifier: Apache-2.0
// Collects the DaemonReport for HEALTH. Every client may read it, as users see each other's processes. Of a
// client it contains user, process, name, resources, job costs and error messages; never data or handles.
#pragma once

#include "daemon/health/daemon_report.h"

namespace tegu::daemon {

struct ReportSources;

inline constexpr std::size_t kMaxClientsReported = 64;

// Io thread.
health::DaemonReport self_report(const ReportSources& sources);

}  // namespace tegu::daemon
