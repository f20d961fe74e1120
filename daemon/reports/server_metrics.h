// SPDX-License-Identifier: Apache-2.0
// The daemon's metrics for Prometheus. Labels are operations, statuses, executors and users; accounts.h
// bounds the users. Processes are never labels: a series for each process would fill the scraper's memory.
#pragma once

#include "daemon/health/daemon_report.h"
#include "daemon/health/exposition.h"

namespace tegu::daemon {

struct ReportSources;

// `report`: a current report of the same daemon. Io thread.
void add_server_metrics(const ReportSources& sources, const health::DaemonReport& report,
                        health::Exposition& out);
// Adds the metrics of users, the longest part. Call last: a text over the limit is cut at its end.
void add_user_metrics(const health::DaemonReport& report, health::Exposition& out);

}  // namespace tegu::daemon
