// SPDX-License-Identifier: Apache-2.0
// The daemon's part of the health as JSON: the member "daemon". Names and units are stable; new ones may be
// added.
#pragma once

#include "base/json.h"
#include "daemon/health/daemon_report.h"

namespace tegu::daemon::health {

// Writes the value of the member. Without `lists`, the lists users, clients and errors are empty, because
// clients can make them long.
void write_daemon(const DaemonReport& report, bool lists, Json& json);

}  // namespace tegu::daemon::health
