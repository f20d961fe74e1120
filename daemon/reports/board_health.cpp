// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/board_health.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "base/log.h"
#include "daemon/health/health_json.h"
#include "daemon/health/health_metrics.h"
#include "daemon/health/health_text.h"
#include "daemon/jobs/job_services.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/reports/report_sources.h"
#include "daemon/reports/self_report.h"
#include "daemon/reports/server_metrics.h"
#include "daemon/service/events.h"
#include "daemon/service/watchdog.h"
#include "daemon/store/descriptor_store.h"

namespace tegu::daemon {
namespace {

constexpr auto kInterval = std::chrono::seconds(1);
constexpr char kDefaultStateDirectory[] = "/var/lib/tegud";

// The first of the directories that systemd lists, separated by colons.
std::string state_directory() {
    const char* named = std::getenv("STATE_DIRECTORY");
    const std::string list = named != nullptr ? named : "";
    return list.empty() ? kDefaultStateDirectory : list.substr(0, list.find(':'));
}

std::uint64_t count_of(const Statistics& statistics, Status status) {
    std::uint64_t count = statistics.refused[static_cast<std::size_t>(status)];
    for (const OperationCounters& counters : statistics.operations)
        count += counters.replies[static_cast<std::size_t>(status)];
    return count;
}

bool has(const health::Assessment& assessment, const health::Reason& wanted) {
    return std::any_of(assessment.reasons.begin(), assessment.reasons.end(),
                       [&](const health::Reason& reason) {
                           return reason.code == wanted.code && reason.subject == wanted.subject;
                       });
}

// Causes inside the daemon are already logged at their source.
bool is_of_board(health::Code code) {
    return code != health::Code::GpuUnavailable && code != health::Code::InternalErrors &&
           code != health::Code::ReloadFailed && code != health::Code::StoreDegraded;
}

void log_changes(const health::Assessment& before, const health::Assessment& now) {
    for (const health::Reason& reason : now.reasons)
        if (is_of_board(reason.code) && !has(before, reason))
            log(LogLevel::Warning, reason.sentence,
                {{events::kMessageId, events::kHealth},
                 {"HEALTH_CODE", health::code_info(reason.code).word},
                 {"HEALTH_SUBJECT", reason.subject}});
    for (const health::Reason& reason : before.reasons)
        if (is_of_board(reason.code) && !has(now, reason))
            log(LogLevel::Notice, "no longer: " + reason.sentence,
                {{"HEALTH_CODE", health::code_info(reason.code).word}, {"HEALTH_SUBJECT", reason.subject}});
}

// At most `limit` bytes, up to a line that starts with `start`.
std::string cut(std::string text, const std::string& start, std::size_t limit) {
    if (text.size() <= limit) return text;
    const std::size_t end = text.rfind("\n" + start, limit - 1);
    text.resize(end == std::string::npos ? 0 : end + 1);
    return text;
}

}  // namespace

// Waiting jobs count as work, because a control task may be ahead of them.
health::ExecutorState executor_state(std::string name, const ExecutorLoad& load) {
    return {std::move(name), load.running + load.waiting > 0, load.finished, load.running_ns};
}

void BoardHealth::start(const std::string& sysroot) {
    Result<void> reads = read_board(sysroot);
    if (!reads) log(LogLevel::Warning, "the board is not read: " + reads.error().message);
    refresh();  // the daemon itself is judged in any case
}

Result<void> BoardHealth::read_board(const std::string& sysroot) {
    Result<health::SystemFiles> files = health::SystemFiles::open(sysroot);
    if (!files) return std::move(files).error();
    health::MonitorOptions options;
    options.state_directory = state_directory();
    Result<std::unique_ptr<health::Monitor>> monitor =
        health::Monitor::start(std::make_shared<health::SystemFiles>(std::move(*files)), options);
    if (!monitor) return std::move(monitor).error();
    monitor_ = std::move(*monitor);
    return {};
}

void BoardHealth::wait() {
    timer_.expires_after(kInterval);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) refresh();
    });
}

void BoardHealth::refresh() {
    try {
        health::Assessment now =
            health::assess(*snapshot(), facts(Clock::now()), health::system_times(), assessment_);
        log_changes(assessment_, now);
        assessment_ = std::move(now);
    } catch (const std::bad_alloc&) {
        // The next second judges again.
    }
    each_second_();
    wait();
}

health::DaemonFacts BoardHealth::facts(TimePoint now) {
    health::DaemonFacts facts;
    const GpuStatus& gpu = sources_.jobs.gpus().status();
    facts.gpu_unavailable = gpu.degraded;
    facts.gpu_runs = gpu.runs();
    facts.gpu_reason = gpu.reason;
    facts.internal_errors_total = count_of(sources_.record.statistics, Status::Internal);
    facts.last_internal_error = "the journal says which";
    for (const RecentError* error : sources_.record.errors.newest_first()) {
        if (error->status != Status::Internal) continue;
        facts.last_internal_error = std::string(error->message.view());
        break;
    }
    if (const Watchdog& watchdog = sources_.watchdog; watchdog.runs()) {
        facts.watchdog_interval_seconds = watchdog.interval_seconds();
        facts.watchdog_gap_seconds = watchdog.worst_gap_seconds();
    }
    if (const ReloadResult* reload = sources_.record.reloads.last(); reload != nullptr && !reload->ok) {
        facts.reload_failed = true;
        facts.reload_error = std::string(reload->message.view());
    }
    StoreStatus store = sources_.store.status();
    facts.store_degraded = store.degraded();
    facts.store_reason = std::move(store.reason);
    const std::uint64_t now_ns = nanoseconds(now.time_since_epoch());
    std::vector<health::ExecutorState> states;
    for (const auto& [name, load] : executor_loads(sources_)) {
        states.push_back(executor_state(name, load));
        busy_shares_.refresh(name, load.busy_ns, now_ns);
    }
    facts.executors = executors_.refresh(states, now_ns);
    return facts;
}

std::shared_ptr<const health::Snapshot> BoardHealth::snapshot() const {
    return monitor_ == nullptr ? std::make_shared<const health::Snapshot>() : monitor_->snapshot();
}

wire::HealthState BoardHealth::state() const {
    return static_cast<wire::HealthState>(assessment_.state);
}

std::string BoardHealth::text(wire::HealthForm form) const {
    const health::Times now = health::system_times();
    const std::shared_ptr<const health::Snapshot> newest = snapshot();
    const health::DaemonReport self = self_report(sources_);
    switch (form) {
        case wire::HealthForm::Json:
            return health::health_json(*newest, assessment_, now, &self, wire::kMaxHealthTextBytes);
        case wire::HealthForm::Text:
            return cut(health::health_text(*newest, assessment_, now, &self), "", wire::kMaxHealthTextBytes);
        case wire::HealthForm::Metrics: break;
    }
    health::Exposition out;
    add_server_metrics(sources_, self, out);
    health::add_health_metrics(*newest, assessment_, now, out);
    add_user_metrics(self, out);
    return cut(out.text(), "# HELP", wire::kMaxHealthTextBytes);
}

}  // namespace tegu::daemon
