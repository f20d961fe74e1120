// SPDX-License-Identifier: Apache-2.0
// The daemon's part of the health for a person: a few lines that say whether it has work, how long jobs take,
// who uses it, and what went wrong last. What has no news has no line.
#pragma once

#include "daemon/health/board/snapshot.h"
#include "daemon/health/board/text.h"
#include "daemon/health/daemon_report.h"

namespace tegu::daemon::health {

void add_daemon_lines(const DaemonReport& report, Times now, Lines& lines);

}  // namespace tegu::daemon::health
