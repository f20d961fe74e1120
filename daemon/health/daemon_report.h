// SPDX-License-Identifier: Apache-2.0
// DaemonReport: the state of the daemon at one moment, as plain values with units in their names. The
// collecting code bounds each list, so that a reply can hold it. Texts of clients may contain any bytes; the
// writer escapes them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tegu::daemon::health {

struct QueueReport {
    std::uint64_t high = 0, normal = 0, low = 0;  // waiting jobs
    std::uint64_t running = 0;
    double predicted_seconds = 0;  // of all these
};

struct ExecutorReport {
    std::string name;  // "inline": small jobs on the io thread; "CPU"; "GPU 0"
    std::uint64_t waiting = 0, running = 0;
    std::uint64_t jobs_total = 0;  // finished jobs, including pieces of divided jobs
    double busy_seconds_total = 0;
    double busy_ratio = 0;  // of the last second or more
};

struct JobCount {
    std::string operation, status;
    std::uint64_t count = 0;
};
struct NamedCount {
    std::string name;
    std::uint64_t count = 0;
};

using Number = std::variant<std::uint64_t, double>;
// Numbers of one kind, each with a word, such as the name of an operation.
struct MeasureGroup {
    std::string name;
    std::vector<std::pair<std::string, Number>> values;
};

struct TimesReport {  // seconds; 0 without any
    std::string phase;
    std::uint64_t count = 0;
    double p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;
};

struct UseReport {  // of a user, or of a process
    uid_t uid = 0;
    pid_t pid = 0;     // of a process
    std::string name;  // as the process calls itself
    std::uint64_t connections = 0;
    std::uint64_t buffers = 0, buffer_bytes = 0;
    std::uint64_t jobs_in_flight = 0;
    std::uint64_t jobs_total = 0;
    double device_seconds_total = 0, cpu_seconds_total = 0;
    std::uint64_t bytes_total = 0;  // that its jobs read and wrote
};

struct CostReport {  // recent jobs that the cost model learns from; see cost_model.h
    std::uint64_t jobs = 0;
    double bias_ratio = 1;   // geometric mean of measured to predicted time
    double error_ratio = 0;  // for 9 of 10 jobs, measured / predicted is within this share of 1
};
struct OperationCosts {
    std::string operation;
    CostReport costs;
};

// Source of the times that decide placement: "default", "model", "probed", "kept" or "table".
struct PlacementReport {
    std::string cpu, gpu;  // gpu: of the first kind; empty: there is none
    bool probing = false;
    std::vector<NamedCount> places, reasons;
};

struct ErrorReport {
    std::uint64_t count = 0;
    std::int64_t first_unix_ms = 0, time_unix_ms = 0;  // of the last one
    std::string status, operation;                     // no operation: empty
    uid_t uid = 0;
    pid_t pid = 0;
    std::string message;
};

struct ReloadReport {
    std::int64_t time_unix_ms = 0;
    bool ok = false;
    std::string message;
};

struct WatchdogReport {
    double interval_seconds = 0, worst_gap_seconds = 0;
};

struct StoreReport {
    std::uint64_t buffers = 0;
    std::string state, reason;
};

struct TuningReport {
    std::vector<std::string> tables;  // tables with rows or costs in use
    std::uint64_t rows = 0, costs = 0;
    std::uint64_t loads_total = 0;     // how often tables were read
    std::uint64_t ignored = 0;         // rows, costs and whole tables
    std::vector<std::string> reasons;  // of the first of these
};

struct DaemonReport {
    std::string version;
    pid_t pid = 0;
    double uptime_seconds = 0;
    std::string backend, backend_reason, memory_class;
    std::uint64_t connections = 0;
    std::vector<NamedCount> counters;  // daemon/reports/counters.h lists these, and
    std::vector<MeasureGroup> measures;
    std::vector<NamedCount> closed;  // connections, by reason
    QueueReport queue;
    std::vector<ExecutorReport> executors;
    std::vector<JobCount> jobs;       // admitted jobs, by final status
    std::vector<NamedCount> refused;  // requests, by status
    std::vector<TimesReport> times;   // queue, copy, compute, whole
    std::vector<UseReport> users;     // by use, highest first
    std::optional<UseReport> other_users;
    std::vector<UseReport> clients;  // connected clients first, then by use
    std::uint64_t clients_left_out = 0;
    CostReport costs;  // of all operations
    std::vector<OperationCosts> operation_costs;
    PlacementReport placement;
    std::vector<ErrorReport> errors;  // the newest first
    std::vector<ReloadReport> reloads;
    TuningReport tuning;
    std::optional<WatchdogReport> watchdog;
    std::optional<StoreReport> descriptor_store;
};

}  // namespace tegu::daemon::health
