// SPDX-License-Identifier: Apache-2.0
// DaemonReport: what the daemon knows of itself at one moment, as plain values with units in their names;
// what Snapshot is for the board. Each list is bounded where it is gathered, so that a reply holds it; texts
// of clients may hold any bytes, which whoever writes them escapes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tegu::daemon::health {

struct QueueReport {
    std::uint64_t high = 0, normal = 0, low = 0;  // jobs that wait
    std::uint64_t running = 0;
    double predicted_seconds = 0;  // of all these
};

struct ExecutorReport {
    std::string name;  // "inline": small jobs on the io thread; "CPU"; "GPU 0"
    std::uint64_t waiting = 0, running = 0;
    std::uint64_t jobs_total = 0;  // that it ended, pieces of divided jobs included
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

struct CostReport {  // of recent jobs that the cost model learns from; see cost_model.h
    std::uint64_t jobs = 0;
    double bias_ratio = 1;   // geometric mean of measured to predicted time
    double error_ratio = 0;  // nine of ten took at most this share longer, or as much shorter, than predicted
};
struct OperationCosts {
    std::string operation;
    CostReport costs;
};

// Where the times come from that decide where jobs run: "default", "model", "probed", "kept" or "table".
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
    std::vector<std::string> tables;  // that rows or costs are used of
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
    std::vector<NamedCount> counters;  // daemon/reports/counters.h lists them
    std::vector<NamedCount> closed;    // connections, by reason
    QueueReport queue;
    std::vector<ExecutorReport> executors;
    std::vector<JobCount> jobs;       // that were admitted, by how they ended
    std::vector<NamedCount> refused;  // requests, by status
    std::vector<TimesReport> times;   // queue, copy, compute, whole
    std::vector<UseReport> users;     // those that used most first
    std::optional<UseReport> other_users;
    std::vector<UseReport> clients;  // those with a connection first, then those that used most
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
