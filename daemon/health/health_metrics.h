// SPDX-License-Identifier: Apache-2.0
// The health as metrics of Prometheus, prefix tegu_. An unknown value has no sample. Labels are parts of the
// board and reasons, a small fixed set.
#pragma once

#include "daemon/health/assessment.h"
#include "daemon/health/board/snapshot.h"
#include "daemon/health/exposition.h"

namespace tegu::daemon::health {

void add_health_metrics(const Snapshot& snapshot, const Assessment& assessment, Times now, Exposition& out);

}  // namespace tegu::daemon::health
