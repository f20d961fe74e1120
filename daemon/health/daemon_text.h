// SPDX-License-Identifier: Apache-2.0
// The daemon's part of the health as text: a few lines on load, job times, users and recent errors. A line
// without content is omitted.
#pragma once

#include "daemon/health/board/snapshot.h"
#include "daemon/health/board/text.h"
#include "daemon/health/daemon_report.h"

namespace tegu::daemon::health {

void add_daemon_lines(const DaemonReport& report, Times now, Lines& lines);

}  // namespace tegu::daemon::health
