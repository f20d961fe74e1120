// SPDX-License-Identifier: Apache-2.0
// The health as one JSON object: state, reasons, and each value by its name, null where it is not known. The
// list "unknown" says why, by the path of the value; what is computed of a value that is not known is null
// without being listed. Names and units are stable; new ones may come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "daemon/health/assessment.h"
#include "daemon/health/board/snapshot.h"
#include "daemon/health/daemon_report.h"

namespace tegu::daemon::health {

// With the member "daemon" if `daemon` is not null. A text longer than `limit` bytes leaves out the list,
// then those of the daemon's users, clients and errors, then all but state and reasons, and "left_out" says
// so.
std::string health_json(const Snapshot& snapshot, const Assessment& assessment, Times now,
                        const DaemonReport* daemon = nullptr, std::size_t limit = SIZE_MAX);

}  // namespace tegu::daemon::health
