// SPDX-License-Identifier: Apache-2.0
// The data of `tegu top` at one moment: the reply to HEALTH, parsed from JSON, and the differences to the
// previous reply. Every value may be missing, depending on board and daemon. Independent of a terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/tegu/failure.h"

namespace tegu {
namespace cli {
namespace top {

using Number = std::optional<double>;  // finite, between -1e18 and 1e18

struct Reason {
    std::string code, state, sentence, action;
    Number since_unix_seconds;
};
struct Load {
    Number share, clock_hz, max_hz;
};
struct Core {
    Number index, share;
};
struct Zone {
    std::string name;
    Number celsius, throttles_at_celsius, margin_celsius;
};
struct Throttle {
    std::string name;
    Number step;
};
struct Rail {
    std::string name;
    Number watts, amperes, limit_amperes;
};
struct EventCounter {
    std::string name;
    Number per_minute;
};
struct Fan {
    std::string name;
    Number share, revolutions_per_minute;
};

struct Board {
    std::string model, l4t, kernel, power_mode;
    Number cores_present, cores_online;
    Load cpu, gpu, emc;  // the clock of the CPU is that of its fastest cluster
    std::vector<Core> cores;
    Number memory_bytes, memory_available_bytes, swap_bytes, swap_free_bytes, disk_bytes,
        disk_available_bytes;
    std::vector<Zone> zones;  // the one that is nearest to its limit first, those without limit last
    std::vector<Throttle> throttles;
    Number watts;
    std::vector<Rail> rails;
    std::vector<EventCounter> events;
    std::vector<Fan> fans;
};

struct Executor {
    std::string name;
    Number waiting, running, jobs, busy_share;
};
struct Operation {
    std::string name;
    double ok = 0, failed = 0;  // jobs, ever
    Number jobs_per_second, failed_per_second;
};
struct Latency {
    std::string part;  // "queue", "copy", "compute", "whole"
    Number count, p50_seconds, p99_seconds, max_seconds;
};
// What a process, or a user, has and did.
struct Account {
    Number pid, uid;  // no pid: a user
    std::string user, name;
    Number connections, buffers, buffer_bytes, jobs_in_flight, jobs, device_seconds, cpu_seconds, bytes;
    Number jobs_per_second, device_share, cpu_share, bytes_per_second;
};
struct LastError {
    std::string status, operation, message;
    Number unix_seconds;
};

struct Daemon {
    std::string version, backend, backend_reason, memory_class, store_state, store_reason;
    Number pid, uptime_seconds, connections;
    Number queued_high, queued_normal, queued_low, running, predicted_seconds;
    std::vector<Executor> executors;
    std::vector<Operation> operations;
    Number jobs_per_second, failed_per_second;
    std::vector<Latency> latencies;
    std::vector<Account> users, clients;
    Number clients_left_out;  // that the daemon's answer had no place for
    Number cost_error_share, watchdog_seconds, watchdog_gap_seconds;
    std::optional<LastError> error;
    bool reload_failed = false;  // the newest one
    std::string reload_message;
};

struct View {
    std::string state;  // "ok", "degraded", "failing"
    std::vector<Reason> reasons;
    Board board;
    std::optional<Daemon> daemon;
    bool left_out = false;  // the answer had no place for values
};

// Errors: kDataError, for what is no such JSON. Lists and texts are cut where no board and no daemon has so
//         much.
Expected<View> parse_view(const std::string& json);

// Fills in what grew in a second between two views, `seconds` apart; leaves it unknown if the daemon is not
// the same process any more.
void add_rates(View& view, const View& before, double seconds);

// The busy share of the GPU: the board's value, else that of its executors.
Number gpu_share(const View& view);

}  // namespace top
}  // namespace cli
}  // namespace tegu
