// SPDX-License-Identifier: Apache-2.0
// What the daemon does, as metrics of Prometheus. Labels are operations, statuses, executors and users, of
// which accounts.h bounds how many there are; never processes: a series for each one that ever connected
// would fill the memory of whoever scrapes it.
#pragma once

#include "daemon/health/daemon_report.h"
#include "daemon/health/exposition.h"

namespace tegu::daemon {

struct ReportSources;

// `report`: of that server, made just now. Io thread.
void add_server_metrics(const ReportSources& sources, const health::DaemonReport& report,
                        health::Exposition& out);
// Those of users, the longest part: to be added last, as a text that is too long loses its end.
void add_user_metrics(const health::DaemonReport& report, health::Exposition& out);

}  // namespace tegu::daemon
