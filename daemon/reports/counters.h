// SPDX-License-Identifier: Apache-2.0
// Tables of the daemon's counters. STATS, HEALTH and the metrics list these tables and those of
// counter_families.h, so a new row appears in all three.
#pragma once

#include <cstdint>

#include "base/span.h"
#include "daemon/health/exposition.h"
#include "daemon/reports/report_sources.h"
#include "daemon/reports/statistics.h"

namespace tegu::daemon {

// Short names for these tables.
using Sources = const ReportSources&;
constexpr health::MetricType kGauge = health::MetricType::Gauge, kTotal = health::MetricType::Counter;

struct Counter {
    const char* name;  // in STATS, and in `counters` of HEALTH
    const char* metric;
    health::MetricType type;
    const char* help;  // of the metric
    std::uint64_t (*value)(const ReportSources& sources);
};
Span<const Counter> counters();

// Counted for each operation.
struct OperationCounter {
    const char* name;  // in STATS, behind "operation_<stem>_"
    const char* sum;   // of all operations: in STATS, and in `counters` of HEALTH
    const char* metric;
    const char* help;
    std::uint64_t OperationCounters::*value;
    bool nanoseconds;  // the metric is in seconds
};
Span<const OperationCounter> operation_counters();
std::uint64_t sum_of(const OperationCounter& counter, const Statistics& statistics);

}  // namespace tegu::daemon
