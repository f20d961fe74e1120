// SPDX-License-Identifier: Apache-2.0
// DaemonRecord: events since the start, for reports. Io thread.
#pragma once

#include "daemon/clock.h"
#include "daemon/reports/recent_errors.h"
#include "daemon/reports/statistics.h"
#include "daemon/sessions/accounts.h"

namespace tegu::daemon {

struct DaemonRecord {
    Statistics statistics;
    Accounts accounts;
    RecentErrors errors;
    ReloadHistory reloads;
    TimePoint started = Clock::now();
};

}  // namespace tegu::daemon
