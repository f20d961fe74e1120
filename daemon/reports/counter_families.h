// SPDX-License-Identifier: Apache-2.0
// Table of the numbers that the daemon has for each word of a list. STATS, HEALTH and the metrics list it, so
// a new row appears in all three.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/span.h"
#include "base/status.h"
#include "daemon/health/daemon_report.h"
#include "daemon/health/exposition.h"
#include "daemon/reports/report_sources.h"

namespace tegu::daemon {

// A number for each word of a list, such as the connections that ended for each reason.
struct CounterFamily {
    std::string (*name)(const std::string& word);  // in STATS
    // In HEALTH: the group in `measures`, or else a list of its own. Without both another object has them.
    const char* measure;
    std::vector<health::NamedCount>& (*list)(health::DaemonReport& report);
    const char* metric;
    const char* label;  // of the word, in the metric
    health::MetricType type;
    const char* help;
    double metric_unit;  // the metric is a multiple of the value; 1: the value itself
    enum class Zeros { Shown, NotInHealth, NotShown } zeros;
    std::size_t (*size)(const ReportSources& sources);
    std::string (*word)(const ReportSources& sources, std::size_t index);
    health::Number (*value)(const ReportSources& sources, std::size_t index);
};
Span<const CounterFamily> counter_families();

using CounterValues = std::vector<std::pair<std::string, health::Number>>;
// The words with their numbers, without zeros that are not shown.
CounterValues values_of(const CounterFamily& family, const ReportSources& sources);
bool is_zero(const health::Number& number);

// The word of a status as names in STATS have it, such as "bad_range".
std::string status_key(Status status);

}  // namespace tegu::daemon
