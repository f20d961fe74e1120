// SPDX-License-Identifier: Apache-2.0
// The daemon's part of the screen.
#include <algorithm>

#include "tools/tegu/top/blocks.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

constexpr std::size_t kMaxOperations = 16;
constexpr double kNoteSeconds = 3600;  // for how long the last error is news

Line queue_line(const Daemon& daemon, const Place& place) {
    Line line;
    line.left.push_back({padded("queue", 8, place.unicode), Style::Label});
    const auto add = [&](const char* label, Number count) {
        line.left.push_back({label, Style::Label});
        line.left.push_back({count_text(count) + "  ", count.value_or(0) > 0 ? Style::Strong : Style::Plain});
    };
    add("high ", daemon.queued_high);
    add("normal ", daemon.queued_normal);
    add("low ", daemon.queued_low);
    return line;
}

Line executor_line(const Executor& executor, const Place& place) {
    Line line;
    line.rank = 2;
    line.left.push_back({padded(executor.name, 8, place.unicode), Style::Label});
    append(line.left, meter(executor.busy_share, place.width - 8 - 18, Style::Meter, place.unicode));
    line.right.push_back({percent_text(executor.busy_share)});
    line.right.push_back({flushed(count_text(executor.waiting), 4, place.unicode)});
    line.right.push_back({" waiting", Style::Label});
    return line;
}

std::string backend_text(const Daemon& daemon) {
    std::string text = daemon.backend.empty() ? "-" : daemon.backend;
    if (!daemon.memory_class.empty() && daemon.memory_class != "none")
        text += ", class " + daemon.memory_class;
    return text;
}

void add_notes(const Daemon& daemon, double now, Lines& lines) {
    if (!daemon.backend_reason.empty()) lines.push_back({{{daemon.backend_reason, Style::Label}}, {}, 5});
    if (daemon.reload_failed)
        lines.push_back({{{"reload failed: " + daemon.reload_message, Style::Warn}}, {}, 3});
    if (!daemon.store_reason.empty())
        lines.push_back({{{"buffers are not kept: " + daemon.store_reason, Style::Warn}}, {}, 4});
    if (daemon.error && daemon.error->unix_seconds && now - *daemon.error->unix_seconds < kNoteSeconds) {
        const LastError& error = *daemon.error;
        lines.push_back({{{span_text(now - *error.unix_seconds) + " ago ", Style::Label},
                          {error.operation + " " + error.status, Style::Warn},
                          {": " + error.message, Style::Label}},
                         {},
                         4});
    }
}

// Those with most jobs a second first, then those with most jobs ever.
std::vector<Operation> busiest(std::vector<Operation> operations) {
    std::sort(operations.begin(), operations.end(), [](const Operation& a, const Operation& b) {
        const double rate_a = a.jobs_per_second.value_or(0), rate_b = b.jobs_per_second.value_or(0);
        if (rate_a != rate_b) return rate_a > rate_b;
        if (a.ok + a.failed != b.ok + b.failed) return a.ok + a.failed > b.ok + b.failed;
        return a.name < b.name;
    });
    operations.resize(std::min(operations.size(), kMaxOperations));
    return operations;
}

}  // namespace

Lines service_lines(const View& view, const Place& place, double now) {
    const Daemon& daemon = *view.daemon;
    Lines lines;
    lines.push_back({{{"Daemon  ", Style::Title}, {backend_text(daemon)}},
                     {{count_text(daemon.connections)},
                      {daemon.connections == Number(1) ? " connection" : " connections", Style::Label}},
                     2,
                     false});
    lines.push_back(queue_line(daemon, place));
    lines.push_back({{{padded("work", 8, place.unicode), Style::Label},
                      {seconds_text(daemon.predicted_seconds)},
                      {" predicted", Style::Label}},
                     {{count_text(daemon.running)}, {" running", Style::Label}},
                     4});
    for (const Executor& executor : daemon.executors) lines.push_back(executor_line(executor, place));
    add_notes(daemon, now, lines);
    Line inner;
    inner.rank = 6;
    inner.left.push_back({"cost error ", Style::Label});
    inner.left.push_back(
        {daemon.cost_error_share ? fixed_text(*daemon.cost_error_share * 100, 0) + " %" : "-"});
    if (daemon.watchdog_seconds) {
        inner.right.push_back({"watchdog ", Style::Label});
        inner.right.push_back({seconds_text(daemon.watchdog_gap_seconds)});
        inner.right.push_back({"/" + seconds_text(daemon.watchdog_seconds), Style::Label});
    }
    lines.push_back(std::move(inner));
    return lines;
}

Lines job_lines(const View& view, const History& history, const Place& place) {
    const Daemon& daemon = *view.daemon;
    Lines lines;
    double max_rate = 0;
    for (const Number value : history.jobs_per_second) max_rate = std::max(max_rate, value.value_or(0));
    Line title;
    title.left.push_back({"Jobs/s  ", Style::Title});
    title.left.push_back({padded(count_text(daemon.jobs_per_second), 7, place.unicode), Style::Strong});
    title.left.push_back(
        {history_text(history.jobs_per_second, place.width - 15, max_rate, place.unicode), Style::Meter});
    lines.push_back(std::move(title));
    std::size_t shown = 0;
    for (const Operation& operation : busiest(daemon.operations)) {
        Line line;
        line.rank = shown < 2 ? 3 : shown < 4 ? 4 : 5;
        line.left.push_back({padded(operation.name, 13, place.unicode), Style::Label});
        line.left.push_back({flushed(count_text(operation.jobs_per_second), 7, place.unicode)});
        line.left.push_back(
            {flushed(count_text(operation.ok + operation.failed), 8, place.unicode), Style::Label});
        if (operation.failed > 0)
            line.right.push_back({count_text(operation.failed) + " failed",
                                  operation.failed_per_second.value_or(0) > 0 ? Style::Warn : Style::Label});
        lines.push_back(std::move(line));
        ++shown;
    }
    return lines;
}

Lines latency_lines(const View& view, const Place& place) {
    constexpr int kColumn = 9;
    const auto time = [](const Latency& latency, Number seconds) {
        return seconds_text(latency.count.value_or(0) > 0 ? seconds : Number());
    };
    const auto cells = [&](const std::string& p50, const std::string& p99, const std::string& max,
                           Style style) {
        Spans spans;
        for (const std::string& text : {p50, p99, max})
            spans.push_back({flushed(text, kColumn, place.unicode), style});
        return spans;
    };
    Lines lines;
    lines.push_back({{{"Latency", Style::Title}}, cells("p50", "p99", "max", Style::Label), 2, true});
    for (const Latency& latency : view.daemon->latencies) {
        const int rank = latency.part == "whole"     ? 1
                         : latency.part == "queue"   ? 3
                         : latency.part == "compute" ? 4
                                                     : 5;
        lines.push_back({{{latency.part, Style::Label}},
                         cells(time(latency, latency.p50_seconds), time(latency, latency.p99_seconds),
                               time(latency, latency.max_seconds), Style::Plain),
                         rank});
    }
    return lines;
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
