// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/self_report.h"

#include <unistd.h>

#include <algorithm>

#include "daemon/buffers/quota.h"
#include "daemon/jobs/job_services.h"
#include "daemon/reports/board_health.h"
#include "daemon/reports/counter_families.h"
#include "daemon/reports/counters.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/service/watchdog.h"
#include "daemon/sessions/session_table.h"
#include "daemon/store/descriptor_store.h"
#include "daemon/tuning/tuning_report.h"

namespace tegu::daemon {
namespace {

double seconds(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

std::string word(Status status) {
    return std::string(status_info(status).word);
}

health::QueueReport queue_report(const ExecutorLoad& load) {
    health::QueueReport queue;
    queue.high = load.waiting_by_priority[static_cast<std::size_t>(wire::Priority::High)];
    queue.normal = load.waiting_by_priority[static_cast<std::size_t>(wire::Priority::Normal)];
    queue.low = load.waiting_by_priority[static_cast<std::size_t>(wire::Priority::Low)];
    queue.running = load.running;
    queue.predicted_seconds = seconds(load.waiting_ns + load.running_ns);
    return queue;
}

health::ExecutorReport executor_report(const ReportSources& sources, const std::string& name,
                                       const ExecutorLoad& load) {
    health::ExecutorReport executor;
    executor.name = name;
    executor.waiting = load.waiting;
    executor.running = load.running;
    executor.jobs_total = load.finished;
    executor.busy_seconds_total = seconds(load.busy_ns);
    executor.busy_ratio = sources.health.busy_shares().ratio(name);
    return executor;
}

void add_counters(const ReportSources& sources, health::DaemonReport& report) {
    const Statistics& statistics = sources.record.statistics;
    for (const Counter& counter : counters())
        report.counters.push_back({counter.name, counter.value(sources)});
    for (const OperationCounter& counter : operation_counters())
        report.counters.push_back({counter.sum, sum_of(counter, statistics)});
    for (const CounterFamily& family : counter_families()) {
        CounterValues values = values_of(family, sources);
        if (family.measure != nullptr) report.measures.push_back({family.measure, std::move(values)});
        if (family.list == nullptr) continue;
        for (const auto& [word, number] : values)
            if (family.zeros == CounterFamily::Zeros::Shown || !is_zero(number))
                family.list(report).push_back({word, *std::get_if<std::uint64_t>(&number)});
    }
}

void add_jobs(const Statistics& statistics, health::DaemonReport& report) {
    for (const OperationInfo& info : operation_infos()) {
        const OperationCounters& counters = statistics.operations[static_cast<std::size_t>(info.operation)];
        for (std::size_t status = 0; status < kStatusSlots; ++status)
            if (const std::uint64_t count = counters.replies[status])
                report.jobs.push_back({std::string(info.stem), word(static_cast<Status>(status)), count});
    }
}

health::TimesReport times_report(const char* phase, const LatencyHistogram& times) {
    const auto percentile = [&](double share) { return times.percentile_ns(share) / 1e9; };
    return {phase,
            times.count(),
            percentile(0.5),
            percentile(0.9),
            percentile(0.99),
            percentile(0.999),
            seconds(times.max_ns())};
}

void put_usage(const Usage& usage, health::UseReport& use) {
    use.jobs_total = usage.jobs;
    use.device_seconds_total = seconds(usage.use.device_ns);
    use.cpu_seconds_total = seconds(usage.use.cpu_ns);
    use.bytes_total = usage.use.bytes;
}

double time_of(const health::UseReport& use) {
    return use.device_seconds_total + use.cpu_seconds_total;
}

void hold(const UserUsage& held, health::UseReport& use) {
    use.buffers += held.buffers;
    use.buffer_bytes += held.buffer_bytes;
    use.jobs_in_flight += held.jobs;
}

void add_users(const ReportSources& sources, health::DaemonReport& report) {
    health::UseReport others;
    hold(sources.quotas.all(), others);
    for (const auto& [uid, account] : sources.record.accounts.users()) {
        health::UseReport use;
        use.uid = uid;
        use.connections = account.connections;
        hold(sources.quotas.user(uid), use);
        put_usage(account.usage, use);
        others.buffers -= use.buffers;
        others.buffer_bytes -= use.buffer_bytes;
        others.jobs_in_flight -= use.jobs_in_flight;
        report.users.push_back(use);
    }
    std::stable_sort(report.users.begin(), report.users.end(),
                     [](const auto& a, const auto& b) { return time_of(a) > time_of(b); });
    const UserAccount& account = sources.record.accounts.others();
    others.connections = account.connections;
    put_usage(account.usage, others);
    if (others.jobs_total + others.connections + others.buffers + others.jobs_in_flight > 0)
        report.other_users = others;
}

// Resources of the connections of each process.
std::map<std::pair<uid_t, pid_t>, UserUsage> held_by_processes(const ReportSources& sources) {
    std::map<std::pair<uid_t, pid_t>, UserUsage> all;
    for (const auto& entry : sources.sessions.all()) {
        const Session& session = *entry.second;
        UserUsage& held = all[{session.peer().uid, session.peer().pid}];
        held.jobs += session.jobs_in_flight();
        held.buffers += session.buffers().size();
        for (const auto& buffer : session.buffers().all()) held.buffer_bytes += buffer.second->bytes();
    }
    return all;
}

// Chooses `max` entries. Users take turns, so that a user with many entries hides no other. Of a user,
// connected processes come first, then those with the most use.
void choose_clients(std::vector<health::UseReport> clients, std::size_t max, health::DaemonReport& report) {
    const auto before = [](const health::UseReport& a, const health::UseReport& b) {
        if ((a.connections > 0) != (b.connections > 0)) return a.connections > 0;
        return time_of(a) > time_of(b);
    };
    std::stable_sort(clients.begin(), clients.end(), before);
    std::map<uid_t, std::size_t> turns;
    std::vector<std::pair<std::size_t, std::size_t>> order;  // turn of its user, index
    for (std::size_t i = 0; i < clients.size(); ++i) order.emplace_back(turns[clients[i].uid]++, i);
    std::sort(order.begin(), order.end());
    if (order.size() > max) {
        report.clients_left_out = order.size() - max;
        order.resize(max);
    }
    for (const auto& each : order) report.clients.push_back(std::move(clients[each.second]));
    std::stable_sort(report.clients.begin(), report.clients.end(), before);
}

void add_clients(const ReportSources& sources, health::DaemonReport& report) {
    const std::map<std::pair<uid_t, pid_t>, UserUsage> held = held_by_processes(sources);
    const TimePoint now = Clock::now();
    std::vector<health::UseReport> clients;
    for (const auto& [key, account] : sources.record.accounts.processes()) {
        if (account.ended != kNever && now - account.ended > Accounts::kRemembered) continue;
        health::UseReport use;
        use.uid = key.first;
        use.pid = key.second;
        use.name = account.name;
        use.connections = account.connections;
        if (const auto found = held.find(key); found != held.end()) hold(found->second, use);
        put_usage(account.usage, use);
        clients.push_back(std::move(use));
    }
    choose_clients(std::move(clients), kMaxClientsReported, report);
}

health::CostReport cost_report(const CostAccuracy& accuracy) {
    return {accuracy.jobs(), accuracy.bias(), accuracy.error(0.9)};
}

void add_costs(const CostModel& costs, health::DaemonReport& report) {
    CostAccuracy all;
    for (const OperationInfo& info : operation_infos()) {
        const CostAccuracy& accuracy = costs.record(info.operation).accuracy;
        if (accuracy.jobs() == 0) continue;
        all += accuracy;
        report.operation_costs.push_back({std::string(info.stem), cost_report(accuracy)});
    }
    report.costs = cost_report(all);
}

void add_placement(const ReportSources& sources, health::DaemonReport& report) {
    const Placement& placement = sources.jobs.placement;
    const CostModel& costs = placement.costs();
    report.placement.cpu = cost_source_word(costs.source(kPool));
    if (costs.resources() > kFirstGpu) report.placement.gpu = cost_source_word(costs.source(kFirstGpu));
    report.placement.probing = sources.jobs.probe.runs();
}

void add_history(const ReportSources& sources, health::DaemonReport& report) {
    for (const RecentError* error : sources.record.errors.newest_first()) {
        const std::string operation =
            error->operation ? std::string(info_of(*error->operation).stem) : std::string();
        report.errors.push_back({error->count, error->first_unix_ms, error->last_unix_ms, word(error->status),
                                 operation, error->uid, error->pid, std::string(error->message.view())});
    }
    for (const ReloadResult* reload : sources.record.reloads.newest_first())
        report.reloads.push_back({reload->unix_ms, reload->ok, std::string(reload->message.view())});
}

}  // namespace

std::vector<std::pair<std::string, ExecutorLoad>> executor_loads(const ReportSources& sources) {
    const Statistics& statistics = sources.record.statistics;
    ExecutorLoad here;
    for (const OperationCounters& counters : statistics.operations) here.finished += counters.inline_jobs;
    here.busy_ns = statistics.inline_ns;
    std::vector<std::pair<std::string, ExecutorLoad>> loads = sources.jobs.executors.loads();
    loads.insert(loads.begin(), {"inline", here});
    return loads;
}

health::DaemonReport self_report(const ReportSources& sources) {
    const GpuStatus& gpu = sources.jobs.gpus().status();
    health::DaemonReport report;
    report.version = TEGU_VERSION;
    report.pid = ::getpid();
    report.uptime_seconds = seconds(nanoseconds(Clock::now() - sources.record.started));
    report.backend = gpu.runs() ? "gpu" : "cpu";
    report.backend_reason = gpu.reason;
    report.memory_class =
        device::memory_class_word(gpu.runs() ? gpu.devices.front().memory_class : device::MemoryClass::None);
    report.connections = sources.quotas.all().connections;
    ExecutorLoad all;
    for (const auto& [name, load] : executor_loads(sources)) {
        all += load;
        report.executors.push_back(executor_report(sources, name, load));
    }
    report.queue = queue_report(all);
    add_counters(sources, report);
    add_jobs(sources.record.statistics, report);
    const JobTimes& times = sources.record.statistics.times;
    report.times = {times_report("queue", times.queue), times_report("copy", times.copy),
                    times_report("compute", times.compute), times_report("whole", times.whole)};
    add_users(sources, report);
    add_clients(sources, report);
    add_costs(sources.jobs.placement.costs(), report);
    add_placement(sources, report);
    add_history(sources, report);
    report.tuning = tuning_report(sources.jobs.tuning);
    if (const Watchdog& watchdog = sources.watchdog; watchdog.runs())
        report.watchdog = health::WatchdogReport{watchdog.interval_seconds(), watchdog.worst_gap_seconds()};
    StoreStatus store = sources.store.status();
    report.descriptor_store =
        health::StoreReport{store.buffers, store_state_word(store.state), std::move(store.reason)};
    return report;
}

}  // namespace tegu::daemon
