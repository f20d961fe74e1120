// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/server_metrics.h"

#include "daemon/jobs/job_services.h"
#include "daemon/reports/counter_families.h"
#include "daemon/reports/counters.h"
#include "daemon/reports/daemon_record.h"

namespace tegu::daemon {
namespace {

using health::DaemonReport;
using health::Exposition;
using health::MetricType;
using health::UseReport;

constexpr MetricType kCounter = MetricType::Counter;

template <class T>
void single(Exposition& out, const char* name, MetricType type, const char* help, T value) {
    out.family(name, type, help);
    out.sample({}, value);
}

// A sample for each operation that had jobs.
void by_operation(const Statistics& statistics, const OperationCounter& counter, Exposition& out) {
    out.family(counter.metric, kCounter, counter.help);
    for (const OperationInfo& info : operation_infos()) {
        const OperationCounters& counters = statistics.operations[static_cast<std::size_t>(info.operation)];
        std::uint64_t jobs = 0;
        for (const std::uint64_t replies : counters.replies) jobs += replies;
        if (jobs == 0) continue;
        const std::uint64_t value = counters.*counter.value;
        if (counter.nanoseconds)
            out.sample({{"operation", info.stem}}, static_cast<double>(value) / 1e9);
        else
            out.sample({{"operation", info.stem}}, value);
    }
}

void add_jobs(const DaemonReport& report, const Statistics& statistics, Exposition& out) {
    out.family("tegu_jobs_total", kCounter, "Jobs that were answered.");
    for (const health::JobCount& jobs : report.jobs)
        out.sample({{"operation", jobs.operation}, {"status", jobs.status}}, jobs.count);
    for (const OperationCounter& counter : operation_counters()) by_operation(statistics, counter, out);
}

void add_times(const JobTimes& times, Exposition& out) {
    out.family("tegu_job_duration_seconds", MetricType::Histogram,
               "From the message that brings a job to its reply.");
    out.histogram({}, times.whole);
    out.family("tegu_job_phase_duration_seconds", MetricType::Histogram,
               "What a job waits, copies to and from a GPU, and computes.");
    out.histogram({{"phase", "queue"}}, times.queue);
    out.histogram({{"phase", "copy"}}, times.copy);
    out.histogram({{"phase", "compute"}}, times.compute);
}

void add_counters(const ReportSources& sources, Exposition& out) {
    for (const Counter& counter : counters())
        single(out, counter.metric, counter.type, counter.help, counter.value(sources));
    for (const CounterFamily& family : counter_families()) {
        out.family(family.metric, family.type, family.help);
        for (const auto& [word, number] : values_of(family, sources)) {
            if (const std::uint64_t* const count = std::get_if<std::uint64_t>(&number))
                out.sample({{family.label, word}}, *count);
            else
                out.sample({{family.label, word}}, *std::get_if<double>(&number) * family.metric_unit);
        }
    }
}

void add_queue(const DaemonReport& report, const JobIndex& index, Exposition& out) {
    single(out, "tegu_jobs_running", MetricType::Gauge, "Jobs on executors.", report.queue.running);
    single(out, "tegu_predicted_work_seconds", MetricType::Gauge,
           "Predicted time of the jobs that wait and run.", report.queue.predicted_seconds);
    const JobTask* const oldest = index.oldest();
    const std::uint64_t age_ns = oldest == nullptr ? 0 : nanoseconds(Clock::now() - oldest->received);
    single(out, "tegu_oldest_job_age_seconds", MetricType::Gauge,
           "Time since the oldest job that waits or runs came; 0 without one.",
           static_cast<double>(age_ns) / 1e9);
    out.family("tegu_executor_jobs_total", kCounter, "Jobs and pieces of jobs that an executor ended.");
    for (const health::ExecutorReport& each : report.executors)
        out.sample({{"executor", each.name}}, each.jobs_total);
    out.family("tegu_executor_busy_seconds_total", kCounter, "Time that an executor was busy with jobs.");
    for (const health::ExecutorReport& each : report.executors)
        out.sample({{"executor", each.name}}, each.busy_seconds_total);
}

void add_costs(const DaemonReport& report, Exposition& out) {
    out.family("tegu_cost_bias_ratio", MetricType::Gauge,
               "Measured to predicted time of recent jobs, geometric mean.");
    for (const health::OperationCosts& each : report.operation_costs)
        out.sample({{"operation", each.operation}}, each.costs.bias_ratio);
    out.family("tegu_cost_error_ratio", MetricType::Gauge,
               "By how much predictions of nine in ten recent jobs were off at most.");
    for (const health::OperationCosts& each : report.operation_costs)
        out.sample({{"operation", each.operation}}, each.costs.error_ratio);
}

void add_placement(const DaemonReport& report, Exposition& out) {
    const health::PlacementReport& placement = report.placement;
    out.family("tegu_cost_model_info", MetricType::Gauge,
               "Where the times come from that decide where jobs run; always 1.");
    out.sample({{"cpu", placement.cpu}, {"gpu", placement.gpu.empty() ? "none" : placement.gpu}},
               std::int64_t{1});
}

void add_supervision(const DaemonReport& report, Exposition& out) {
    single(out, "tegu_last_reload_successful", MetricType::Gauge,
           "0 while the settings before a reload that failed are in force.",
           std::int64_t{report.reloads.empty() || report.reloads.front().ok});
    single(out, "tegu_tuning_parts_ignored", MetricType::Gauge,
           "Parts of the tuning tables that are not used.", report.tuning.ignored);
    if (report.watchdog) {
        single(out, "tegu_watchdog_interval_seconds", MetricType::Gauge,
               "Silence after which the service manager ends the daemon.", report.watchdog->interval_seconds);
        single(out, "tegu_watchdog_longest_silence_seconds", MetricType::Gauge, "The longest silence so far.",
               report.watchdog->worst_gap_seconds);
    }
}

}  // namespace

void add_server_metrics(const ReportSources& sources, const DaemonReport& report, Exposition& out) {
    out.family("tegu_build_info", MetricType::Gauge, "The version of tegud; always 1.");
    out.sample({{"version", report.version}}, std::int64_t{1});
    out.family("tegu_backend_info", MetricType::Gauge, "What computes; always 1.");
    out.sample({{"backend", report.backend}, {"memory_class", report.memory_class}}, std::int64_t{1});
    single(out, "tegu_uptime_seconds", MetricType::Gauge, "Time since the start.", report.uptime_seconds);
    add_counters(sources, out);
    add_queue(report, sources.jobs.index, out);
    add_jobs(report, sources.record.statistics, out);
    add_times(sources.record.statistics.times, out);
    add_costs(report, out);
    add_placement(report, out);
    add_supervision(report, out);
}

void add_user_metrics(const DaemonReport& report, Exposition& out) {
    const auto family = [&](const char* name, MetricType type, const char* help, auto member) {
        out.family(name, type, help);
        for (const UseReport& use : report.users) out.sample({{"uid", std::to_string(use.uid)}}, use.*member);
        if (report.other_users) out.sample({{"uid", "others"}}, (*report.other_users).*member);
    };
    family("tegu_user_connections", MetricType::Gauge, "Open connections of a user.",
           &UseReport::connections);
    family("tegu_user_buffer_bytes", MetricType::Gauge, "Buffers of a user.", &UseReport::buffer_bytes);
    family("tegu_user_jobs_in_flight", MetricType::Gauge, "Jobs of a user that wait and run.",
           &UseReport::jobs_in_flight);
    family("tegu_user_jobs_total", kCounter, "Jobs of a user that were answered.", &UseReport::jobs_total);
    family("tegu_user_device_seconds_total", kCounter, "Time of GPUs for jobs of a user, copies included.",
           &UseReport::device_seconds_total);
    family("tegu_user_cpu_seconds_total", kCounter, "Time of threads of the CPU for jobs of a user.",
           &UseReport::cpu_seconds_total);
    family("tegu_user_job_bytes_total", kCounter, "Bytes that jobs of a user read and wrote.",
           &UseReport::bytes_total);
}

}  // namespace tegu::daemon
