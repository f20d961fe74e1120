// SPDX-License-Identifier: Apache-2.0
// The daemon's part of the health as JSON: the member "daemon". Names and units are stable; new ones may
// come.
#pragma once

#include "base/json.h"
#include "daemon/health/daemon_report.h"

namespace tegu::daemon::health {

// Writes the value of the member. Without `lists`, those that clients make long are empty: users, clients and
// errors.
void write_daemon(const DaemonReport& report, bool lists, Json& json);

}  // namespace tegu::daemon::health
