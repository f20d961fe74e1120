// SPDX-License-Identifier: Apache-2.0
// The health as one JSON object: state, reasons, and each value by its name; an unknown value is null. The
// list "unknown" gives the reasons by path; values derived from an unknown value are not listed. Names and
// units are stable; new ones may be added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "daemon/health/assessment.h"
#include "daemon/health/board/snapshot.h"
#include "daemon/health/daemon_report.h"

namespace tegu::daemon::health {

// With the member "daemon" if `daemon` is not null. A text over `limit` bytes omits parts, named in
// "left_out": first the list "unknown", then users, clients and errors. Last it omits all but state and
// reasons.
std::string health_json(const Snapshot& snapshot, const Assessment& assessment, Times now,
                        const DaemonReport* daemon = nullptr, std::size_t limit = SIZE_MAX);

}  // namespace tegu::daemon::health
