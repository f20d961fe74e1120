// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/daemon_text.h"

#include <algorithm>

namespace tegu::daemon::health {
namespace {

constexpr std::size_t kUsersShown = 5, kErrorsShown = 5, kReasonsShown = 3;

std::string counted(std::uint64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

double seconds_since(std::int64_t unix_ms, Times now) {
    return std::max(0.0, static_cast<double>(now.unix_ms - unix_ms) / 1e3);
}

void add_identity(const DaemonReport& report, Lines& lines) {
    std::string line = "tegud " + report.version + ", pid " + std::to_string(report.pid) + ", up " +
                       age_text(report.uptime_seconds) + ", backend " + report.backend;
    if (report.backend != "cpu") line += ", memory class " + report.memory_class;
    lines.add("daemon", line);
    if (!report.backend_reason.empty()) lines.add("daemon", report.backend_reason);
}

void add_work(const DaemonReport& report, Lines& lines) {
    const QueueReport& queue = report.queue;
    const std::uint64_t waiting = queue.high + queue.normal + queue.low;
    std::string line = counted(waiting, "job waits", "jobs wait");
    if (queue.high + queue.low > 0)
        line += " (" + std::to_string(queue.high) + " high, " + std::to_string(queue.low) + " low)";
    line += ", " + std::to_string(queue.running) + " run";
    if (waiting + queue.running > 0) line += ", predicted " + time_text(queue.predicted_seconds);
    lines.add("queue", line);
    std::string busy;
    for (const ExecutorReport& executor : report.executors)
        busy +=
            (busy.empty() ? "" : ", ") + executor.name + " " + text_of(100 * executor.busy_ratio, 0) + " %";
    lines.add("busy", busy);
}

// "BUSY 12, BAD_RANGE 1": the most frequent first.
std::string status_list(std::vector<NamedCount> counts) {
    std::stable_sort(counts.begin(), counts.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    std::string list;
    for (const NamedCount& each : counts)
        list += (list.empty() ? "" : ", ") + each.name + " " + std::to_string(each.count);
    return list;
}

void add_jobs(const DaemonReport& report, Lines& lines) {
    std::uint64_t answered = 0;
    std::vector<NamedCount> failed;
    for (const JobCount& jobs : report.jobs) {
        answered += jobs.count;
        if (jobs.status == "OK") continue;
        const auto found = std::find_if(failed.begin(), failed.end(),
                                        [&](const NamedCount& of) { return of.name == jobs.status; });
        if (found != failed.end())
            found->count += jobs.count;
        else
            failed.push_back({jobs.status, jobs.count});
    }
    lines.add("jobs", counted(answered, "was answered", "were answered") +
                          (failed.empty() ? "" : ", of these " + status_list(failed)));
    if (!report.refused.empty()) lines.add("jobs", "requests refused: " + status_list(report.refused));
    for (const TimesReport& times : report.times)
        if (times.count > 0)
            lines.add("latency", times.phase + ": p50 " + time_text(times.p50) + ", p90 " +
                                     time_text(times.p90) + ", p99 " + time_text(times.p99) + ", p99.9 " +
                                     time_text(times.p999) + ", max " + time_text(times.max));
}

std::string use_text(const UseReport& use, bool has_gpu) {
    std::string text =
        counted(use.connections, "connection", "connections") + ", " + counted(use.jobs_total, "job", "jobs");
    if (use.jobs_in_flight > 0) text += ", " + std::to_string(use.jobs_in_flight) + " in flight";
    if (has_gpu) text += ", GPU " + time_text(use.device_seconds_total);
    text += ", CPU " + time_text(use.cpu_seconds_total);
    if (use.buffers > 0)
        text += ", " + counted(use.buffers, "buffer", "buffers") + " of " + bytes_text(use.buffer_bytes);
    return text;
}

void add_users(const DaemonReport& report, Lines& lines) {
    const bool has_gpu = report.backend == "gpu";
    for (std::size_t i = 0; i < std::min(report.users.size(), kUsersShown); ++i)
        lines.add("users",
                  "uid " + std::to_string(report.users[i].uid) + ": " + use_text(report.users[i], has_gpu));
    const std::size_t more = report.users.size() - std::min(report.users.size(), kUsersShown);
    if (more > 0 || report.other_users)
        lines.add("users", "and others that used less; tegu health --json has more");
}

void add_history(const DaemonReport& report, Times now, Lines& lines) {
    for (std::size_t i = 0; i < std::min(report.errors.size(), kErrorsShown); ++i) {
        const ErrorReport& error = report.errors[i];
        lines.add("errors", age_text(seconds_since(error.time_unix_ms, now)) + " ago" +
                                (error.count > 1 ? ", " + std::to_string(error.count) + " times" : "") +
                                ": " + error.status +
                                (error.operation.empty() ? "" : " of " + error.operation) + " to uid " +
                                std::to_string(error.uid) + ", pid " + std::to_string(error.pid));
        lines.add("errors", "  " + plain_text(error.message));
    }
    if (report.reloads.empty()) return;
    const ReloadReport& reload = report.reloads.front();
    lines.add("reload", age_text(seconds_since(reload.time_unix_ms, now)) + " ago, " +
                            (reload.ok ? "" : "refused: ") + plain_text(reload.message));
}

void add_tuning(const TuningReport& tuning, Lines& lines) {
    if (tuning.rows + tuning.ignored == 0) return;
    std::string tables;
    for (const std::string& table : tuning.tables) tables += (tables.empty() ? "" : ", ") + table;
    lines.add("tuning", counted(tuning.rows, "row", "rows") + (tables.empty() ? "" : " of " + tables) +
                            (tuning.ignored == 0 ? "" : ", " + std::to_string(tuning.ignored) + " ignored"));
    for (std::size_t i = 0; i < std::min(tuning.reasons.size(), kReasonsShown); ++i)
        lines.add("tuning", "  " + plain_text(tuning.reasons[i]));
}

void add_supervision(const DaemonReport& report, Lines& lines) {
    if (report.watchdog)
        lines.add("watchdog", "told at most " + time_text(report.watchdog->worst_gap_seconds) + " apart, " +
                                  time_text(report.watchdog->interval_seconds) + " allowed");
    if (report.descriptor_store && report.descriptor_store->state != "off")
        lines.add("store",
                  counted(report.descriptor_store->buffers, "buffer is", "buffers are") +
                      " kept over a restart" +
                      (report.descriptor_store->reason.empty()
                           ? ""
                           : "; " + report.descriptor_store->state + ": " + report.descriptor_store->reason));
}

}  // namespace

void add_daemon_lines(const DaemonReport& report, Times now, Lines& lines) {
    add_identity(report, lines);
    add_work(report, lines);
    add_jobs(report, lines);
    add_users(report, lines);
    add_history(report, now, lines);
    add_tuning(report.tuning, lines);
    add_supervision(report, lines);
}

}  // namespace tegu::daemon::health
