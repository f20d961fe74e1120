// SPDX-License-Identifier: Apache-2.0
// The health as text for a terminal: state, reasons and remedies, then the daemon, then a line for each part
// of the board, with units.
#pragma once

#include <string>

#include "daemon/health/assessment.h"
#include "daemon/health/board/snapshot.h"
#include "daemon/health/daemon_report.h"

namespace tegu::daemon::health {

// Lines of at most about 100 characters, each with its line end. Control characters from files are already
// removed.
std::string health_text(const Snapshot& snapshot, const Assessment& assessment, Times now,
                        const DaemonReport* daemon = nullptr);

}  // namespace tegu::daemon::health
