// SPDX-License-Identifier: Apache-2.0
// The health for a person at a terminal: the state and its reasons with what to do, then what the daemon
// does, then a line for each part of the board, with units.
#pragma once

#include <string>

#include "daemon/health/assessment.h"
#include "daemon/health/board/snapshot.h"
#include "daemon/health/daemon_report.h"

namespace tegu::daemon::health {

// Lines of at most about 100 characters, each with its end. Control characters that files may hold are gone
// already.
std::string health_text(const Snapshot& snapshot, const Assessment& assessment, Times now,
                        const DaemonReport* daemon = nullptr);

}  // namespace tegu::daemon::health
