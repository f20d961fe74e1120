// SPDX-License-Identifier: Apache-2.0
// Parses the JSON of HEALTH to a View. Boost's parser is recursive and builds a tree of strings, so input
// that is too large or too deep is refused first.
#define BOOST_BIND_GLOBAL_PLACEHOLDERS  // Boost 1.73 to 1.75 warn of a use of their own
#include <algorithm>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "tools/tegu/top/view.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

using Tree = boost::property_tree::ptree;

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxElements = 4096;
constexpr std::size_t kMaxText = 512;
constexpr double kMaxNumber = 1e18;

bool too_deep(const std::string& json) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (c == '"')
            quoted = !quoted;
        else if (quoted)
            i += c == '\\' ? 1 : 0;
        else if (c == '{' || c == '[')
            ++depth;
        else if (c == '}' || c == ']')
            --depth;
        if (depth > kMaxDepth) return true;
    }
    return false;
}

// The member of this name; an empty tree if there is none.
const Tree& member(const Tree& tree, const char* name) {
    static const Tree none;
    const auto found = tree.find(name);
    return found == tree.not_found() ? none : found->second;
}

// Empty for null. A text "null" cannot be told from it.
std::string text(const Tree& tree, const char* name) {
    std::string value = member(tree, name).data();
    if (value == "null") return {};
    if (value.size() > kMaxText) value.resize(kMaxText);
    return value;
}

Number number(const Tree& tree, const char* name) {
    const std::string& value = member(tree, name).data();
    char* end = nullptr;
    const double parsed = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0' || !(std::fabs(parsed) <= kMaxNumber)) return {};
    return parsed;
}

Number thousandths(Number value) {
    return value ? Number(*value / 1000) : value;
}

template <class T, class F>
std::vector<T> list(const Tree& tree, const char* name, F&& read) {
    std::vector<T> elements;
    for (const auto& element : member(tree, name)) {
        if (elements.size() == kMaxElements) break;
        elements.push_back(read(element.second));
    }
    return elements;
}

Load read_load(const Tree& tree) {
    return {number(tree, "load_ratio"), number(tree, "clock_hz"), number(tree, "max_hz")};
}

void read_cpu(const Tree& tree, Board& board) {
    board.cores_present = number(tree, "cores_present");
    board.cores_online = number(tree, "cores_online");
    board.cpu.share = number(tree, "load_ratio");
    board.cores = list<Core>(tree, "cores", [](const Tree& core) {
        return Core{number(core, "core"), number(core, "load_ratio")};
    });
    for (const Load& cluster : list<Load>(tree, "clusters", read_load)) {
        if (!cluster.clock_hz || (board.cpu.clock_hz && *board.cpu.clock_hz >= *cluster.clock_hz)) continue;
        board.cpu.clock_hz = cluster.clock_hz;
        board.cpu.max_hz = cluster.max_hz;
    }
}

void read_thermal(const Tree& tree, Board& board) {
    board.zones = list<Zone>(tree, "zones", [](const Tree& zone) {
        return Zone{text(zone, "zone"), number(zone, "temperature_celsius"),
                    number(zone, "throttles_at_celsius"), number(zone, "throttle_margin_celsius")};
    });
    std::stable_sort(board.zones.begin(), board.zones.end(), [](const Zone& a, const Zone& b) {
        return a.margin_celsius.value_or(kMaxNumber) < b.margin_celsius.value_or(kMaxNumber);
    });
    board.throttles = list<Throttle>(tree, "throttles", [](const Tree& throttle) {
        return Throttle{text(throttle, "throttle"), number(throttle, "step")};
    });
}

void read_power(const Tree& tree, Board& board) {
    board.watts = number(tree, "board_watts");
    board.rails = list<Rail>(tree, "rails", [](const Tree& rail) {
        return Rail{text(rail, "rail"), number(rail, "watts"), number(rail, "amperes"),
                    number(rail, "limit_amperes")};
    });
    board.events = list<EventCounter>(tree, "events", [](const Tree& counter) {
        return EventCounter{text(counter, "counter"), number(counter, "events_per_minute")};
    });
}

Board read_board(const Tree& tree) {
    Board board;
    const Tree& names = member(tree, "board");
    board.model = text(names, "model");
    board.l4t = text(names, "l4t_release");
    board.kernel = text(names, "kernel_release");
    board.power_mode = text(names, "power_mode");
    read_cpu(member(tree, "cpu"), board);
    board.gpu = read_load(member(tree, "gpu"));
    board.emc = read_load(member(tree, "emc"));
    const Tree& memory = member(tree, "memory");
    board.memory_bytes = number(memory, "total_bytes");
    board.memory_available_bytes = number(memory, "available_bytes");
    board.swap_bytes = number(memory, "swap_total_bytes");
    board.swap_free_bytes = number(memory, "swap_free_bytes");
    read_thermal(member(tree, "thermal"), board);
    read_power(member(tree, "power"), board);
    board.fans = list<Fan>(tree, "fans", [](const Tree& fan) {
        return Fan{text(fan, "fan"), number(fan, "duty_ratio"), number(fan, "revolutions_per_minute")};
    });
    board.disk_bytes = number(member(tree, "state_directory"), "total_bytes");
    board.disk_available_bytes = number(member(tree, "state_directory"), "available_bytes");
    return board;
}

Account read_account(const Tree& tree) {
    Account account;
    account.pid = number(tree, "pid");
    account.uid = number(tree, "uid");
    account.name = text(tree, "name");
    account.connections = number(tree, "connections");
    account.buffers = number(tree, "buffers");
    account.buffer_bytes = number(tree, "buffer_bytes");
    account.jobs_in_flight = number(tree, "jobs_in_flight");
    account.jobs = number(tree, "jobs_total");
    account.device_seconds = number(tree, "device_seconds_total");
    account.cpu_seconds = number(tree, "cpu_seconds_total");
    account.bytes = number(tree, "bytes_total");
    return account;
}

// One entry for each operation, of the counts by outcome.
std::vector<Operation> read_operations(const Tree& tree) {
    std::vector<Operation> operations;
    for (const auto& element : member(tree, "jobs")) {
        const std::string name = text(element.second, "operation");
        auto found = std::find_if(operations.begin(), operations.end(),
                                  [&](const Operation& operation) { return operation.name == name; });
        if (found == operations.end()) {
            if (operations.size() == kMaxElements) break;
            operations.push_back({});
            found = operations.end() - 1;
            found->name = name;
        }
        const bool ok = text(element.second, "status") == "OK";
        (ok ? found->ok : found->failed) += number(element.second, "count").value_or(0);
    }
    return operations;
}

std::vector<Latency> read_latencies(const Tree& tree) {
    std::vector<Latency> latencies;
    for (const char* part : {"queue", "copy", "compute", "whole"}) {
        const Tree& of = member(tree, part);
        latencies.push_back(
            {part, number(of, "count"), number(of, "p50"), number(of, "p99"), number(of, "max")});
    }
    return latencies;
}

// The newest of a list of what happened, by its time.
const Tree* newest(const Tree& list) {
    const Tree* found = nullptr;
    for (const auto& element : list)
        if (found == nullptr || number(element.second, "time_unix_ms") >= number(*found, "time_unix_ms"))
            found = &element.second;
    return found;
}

void read_events(const Tree& tree, Daemon& daemon) {
    if (const Tree* error = newest(member(tree, "errors")))
        daemon.error = LastError{text(*error, "status"), text(*error, "operation"), text(*error, "message"),
                                 thousandths(number(*error, "time_unix_ms"))};
    if (const Tree* reload = newest(member(tree, "reloads"))) {
        daemon.reload_failed = text(*reload, "ok") == "false";
        daemon.reload_message = text(*reload, "message");
    }
}

Daemon read_daemon(const Tree& tree) {
    Daemon daemon;
    daemon.version = text(tree, "version");
    daemon.backend = text(tree, "backend");
    daemon.backend_reason = text(tree, "backend_reason");
    daemon.memory_class = text(tree, "memory_class");
    daemon.pid = number(tree, "pid");
    daemon.uptime_seconds = number(tree, "uptime_seconds");
    daemon.connections = number(tree, "connections");
    const Tree& queue = member(tree, "queue");
    daemon.queued_high = number(queue, "high");
    daemon.queued_normal = number(queue, "normal");
    daemon.queued_low = number(queue, "low");
    daemon.running = number(queue, "running");
    daemon.predicted_seconds = number(queue, "predicted_seconds");
    daemon.executors = list<Executor>(tree, "executors", [](const Tree& executor) {
        return Executor{text(executor, "name"), number(executor, "waiting"), number(executor, "running"),
                        number(executor, "jobs_total"), number(executor, "busy_ratio")};
    });
    daemon.operations = read_operations(tree);
    daemon.latencies = read_latencies(member(tree, "latency_seconds"));
    daemon.users = list<Account>(tree, "users", read_account);
    daemon.clients = list<Account>(tree, "clients", read_account);
    daemon.clients_left_out = number(tree, "clients_left_out");
    daemon.cost_error_share = number(member(tree, "cost_model"), "error_ratio");
    daemon.watchdog_seconds = number(member(tree, "watchdog"), "interval_seconds");
    daemon.watchdog_gap_seconds = number(member(tree, "watchdog"), "worst_gap_seconds");
    daemon.store_state = text(member(tree, "descriptor_store"), "state");
    daemon.store_reason = text(member(tree, "descriptor_store"), "reason");
    read_events(tree, daemon);
    return daemon;
}

Error unreadable(const std::string& why) {
    return failure(kDataError, "cannot read what the daemon answered: " + why, "health");
}

}  // namespace

Expected<View> parse_view(const std::string& json) {
    if (json.size() > kMaxBytes) return unreadable(std::to_string(json.size()) + " bytes are too many");
    if (too_deep(json)) return unreadable("it is nested too deeply");
    Tree tree;
    try {
        std::istringstream in(json);
        boost::property_tree::read_json(in, tree);
    } catch (const boost::property_tree::json_parser_error& error) {
        return unreadable(error.message() + " in line " + std::to_string(error.line()));
    }
    View view;
    view.state = text(tree, "state");
    if (view.state != "ok" && view.state != "degraded" && view.state != "failing")
        return unreadable("it has no state");
    view.reasons = list<Reason>(tree, "reasons", [](const Tree& reason) {
        return Reason{text(reason, "code"), text(reason, "state"), text(reason, "sentence"),
                      text(reason, "action"), number(reason, "since_unix_seconds")};
    });
    view.board = read_board(tree);
    if (const Tree& daemon = member(tree, "daemon"); !daemon.empty()) view.daemon = read_daemon(daemon);
    view.left_out = text(tree, "left_out") == "all values";
    return view;
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
