// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/self_report.h"

#include <unistd.h>

#include <algorithm>

#include "daemon/server.h"
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

health::ExecutorReport executor_report(const Server& server, const std::string& name,
                                       const ExecutorLoad& load) {
    health::ExecutorReport executor;
    executor.name = name;
    executor.waiting = load.waiting;
    executor.running = load.running;
    executor.jobs_total = load.finished;
    executor.busy_seconds_total = seconds(load.busy_ns);
    executor.busy_ratio = server.health().busy_shares().ratio(name);
    return executor;
}

void add_jobs(const Statistics& statistics, health::DaemonReport& report) {
    for (const OperationInfo& info : operation_infos()) {
        const OperationCounters& counters = statistics.operations[static_cast<std::size_t>(info.operation)];
        for (std::size_t status = 0; status < kStatusSlots; ++status)
            if (const std::uint64_t count = counters.replies[status])
                report.jobs.push_back({std::string(info.stem), word(static_cast<Status>(status)), count});
    }
    for (std::size_t status = 0; status < kStatusSlots; ++status)
        if (const std::uint64_t count = statistics.refused[status])
            report.refused.push_back({word(static_cast<Status>(status)), count});
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

void add_users(const Server& server, health::DaemonReport& report) {
    health::UseReport others;
    hold(server.quotas().all(), others);
    for (const auto& [uid, account] : server.accounts().users()) {
        health::UseReport use;
        use.uid = uid;
        use.connections = account.connections;
        hold(server.quotas().user(uid), use);
        put_usage(account.usage, use);
        others.buffers -= use.buffers;
        others.buffer_bytes -= use.buffer_bytes;
        others.jobs_in_flight -= use.jobs_in_flight;
        report.users.push_back(use);
    }
    std::stable_sort(report.users.begin(), report.users.end(),
                     [](const auto& a, const auto& b) { return time_of(a) > time_of(b); });
    const UserAccount& account = server.accounts().others();
    others.connections = account.connections;
    put_usage(account.usage, others);
    if (others.jobs_total + others.connections + others.buffers + others.jobs_in_flight > 0)
        report.other_users = others;
}

// What the connections of each process hold.
std::map<std::pair<uid_t, pid_t>, UserUsage> held_by_processes(const Server& server) {
    std::map<std::pair<uid_t, pid_t>, UserUsage> all;
    for (const auto& entry : server.sessions()) {
        const Session& session = *entry.second;
        UserUsage& held = all[{session.peer().uid, session.peer().pid}];
        held.jobs += session.jobs_in_flight();
        held.buffers += session.buffers().size();
        for (const auto& buffer : session.buffers().all()) held.buffer_bytes += buffer.second->bytes();
    }
    return all;
}

// The first `most` in an order in which users take turns, so that none hides another by having many; then
// those that are connected, and those that used most, first.
void choose_clients(std::vector<health::UseReport> clients, std::size_t most, health::DaemonReport& report) {
    const auto before = [](const health::UseReport& a, const health::UseReport& b) {
        if ((a.connections > 0) != (b.connections > 0)) return a.connections > 0;
        return time_of(a) > time_of(b);
    };
    std::stable_sort(clients.begin(), clients.end(), before);
    std::map<uid_t, std::size_t> turns;
    std::vector<std::pair<std::size_t, std::size_t>> order;  // turn of its user, place
    for (std::size_t i = 0; i < clients.size(); ++i) order.emplace_back(turns[clients[i].uid]++, i);
    std::sort(order.begin(), order.end());
    if (order.size() > most) {
        report.clients_left_out = order.size() - most;
        order.resize(most);
    }
    for (const auto& each : order) report.clients.push_back(std::move(clients[each.second]));
    std::stable_sort(report.clients.begin(), report.clients.end(), before);
}

void add_clients(const Server& server, health::DaemonReport& report) {
    const std::map<std::pair<uid_t, pid_t>, UserUsage> held = held_by_processes(server);
    const TimePoint now = Clock::now();
    std::vector<health::UseReport> clients;
    for (const auto& [key, account] : server.accounts().processes()) {
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
    choose_clients(std::move(clients), kMostClientsReported, report);
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

void add_placement(const Server& server, health::DaemonReport& report) {
    const Placement& placement = server.placement();
    const CostModel& costs = placement.costs();
    report.placement.cpu = cost_source_word(costs.source(kPool));
    if (costs.backends() > kFirstGpu) report.placement.gpu = cost_source_word(costs.source(kFirstGpu));
    report.placement.probing = server.is_probing();
    for (std::size_t place = 0; place < kPlaces; ++place)
        report.placement.places.push_back(
            {std::string(place_word(static_cast<Place>(place))), placement.counts().places[place]});
    for (std::size_t reason = 0; reason < kReasons; ++reason)
        report.placement.reasons.push_back(
            {std::string(reason_word(static_cast<Reason>(reason))), placement.counts().reasons[reason]});
}

void add_history(const Server& server, health::DaemonReport& report) {
    for (const RecentError* error : server.errors().newest_first()) {
        const std::string operation =
            error->operation
                ? std::string(find_operation(static_cast<std::uint16_t>(*error->operation))->stem)
                : std::string();
        report.errors.push_back({error->count, error->first_unix_ms, error->last_unix_ms, word(error->status),
                                 operation, error->uid, error->pid, std::string(error->message.view())});
    }
    for (const ReloadResult* reload : server.reloads().newest_first())
        report.reloads.push_back({reload->unix_ms, reload->ok, std::string(reload->message.view())});
}

}  // namespace

health::DaemonReport self_report(const Server& server) {
    const GpuStatus& gpu = server.gpus().status();
    health::DaemonReport report;
    report.version = TEGU_VERSION;
    report.pid = ::getpid();
    report.uptime_seconds = seconds(nanoseconds(Clock::now() - server.started()));
    report.backend = gpu.runs() ? "gpu" : "cpu";
    report.backend_reason = gpu.reason;
    report.memory_class =
        device::memory_class_word(gpu.runs() ? gpu.devices.front().memory_class : device::MemoryClass::None);
    report.connections = server.quotas().all().connections;
    ExecutorLoad all;
    for (const auto& [name, load] : server.executor_loads()) {
        all += load;
        report.executors.push_back(executor_report(server, name, load));
    }
    report.queue = queue_report(all);
    add_jobs(server.statistics(), report);
    const JobTimes& times = server.statistics().times;
    report.times = {times_report("queue", times.queue), times_report("copy", times.copy),
                    times_report("compute", times.compute), times_report("whole", times.whole)};
    add_users(server, report);
    add_clients(server, report);
    add_costs(server.placement().costs(), report);
    add_placement(server, report);
    add_history(server, report);
    report.tuning = tuning_report(server.tuning());
    if (const Watchdog& watchdog = server.watchdog(); watchdog.runs())
        report.watchdog = health::WatchdogReport{watchdog.interval_seconds(), watchdog.worst_gap_seconds()};
    StoreStatus store = server.store().status();
    report.descriptor_store =
        health::StoreReport{store.buffers, store_state_word(store.state), std::move(store.reason)};
    return report;
}

}  // namespace tegu::daemon
