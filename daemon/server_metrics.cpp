// SPDX-License-Identifier: Apache-2.0
#include "daemon/server_metrics.h"

#include "daemon/server.h"

namespace tegu::daemon {
namespace {

using health::Exposition;
using health::MetricType;

template <class T>
void single(Exposition& out, const char* name, MetricType type, const char* help, T value) {
    out.family(name, type, help);
    out.sample({}, value);
}

double seconds(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

// A family with a sample for each operation that had jobs.
template <class F>
void by_operation(const Statistics& statistics, const char* name, const char* help, F&& value, Exposition& out) {
    out.family(name, MetricType::Counter, help);
    for (const OperationInfo& info : operation_infos()) {
        const OperationCounters& counters = statistics.operations[static_cast<std::size_t>(info.operation)];
        std::uint64_t jobs = 0;
        for (const std::uint64_t replies : counters.replies) jobs += replies;
        if (jobs > 0) out.sample({{"operation", info.stem}}, value(counters));
    }
}

void add_jobs(const Statistics& statistics, Exposition& out) {
    out.family("tegu_jobs_total", MetricType::Counter, "Jobs that were answered.");
    for (const OperationInfo& info : operation_infos()) {
        const OperationCounters& counters = statistics.operations[static_cast<std::size_t>(info.operation)];
        for (std::size_t status = 0; status < kStatusSlots; ++status)
            if (counters.replies[status] > 0)
                out.sample({{"operation", info.stem}, {"status", status_info(static_cast<Status>(status)).word}},
                           counters.replies[status]);
    }
    by_operation(
        statistics, "tegu_job_queue_seconds_total", "Time that jobs waited.",
        [](const OperationCounters& counters) { return seconds(counters.queue_ns); }, out);
    by_operation(
        statistics, "tegu_job_compute_seconds_total", "Time that jobs were computed.",
        [](const OperationCounters& counters) { return seconds(counters.compute_ns); }, out);
    by_operation(
        statistics, "tegu_job_read_bytes_total", "Bytes that jobs read.",
        [](const OperationCounters& counters) { return counters.bytes_read; }, out);
    by_operation(
        statistics, "tegu_job_written_bytes_total", "Bytes that jobs wrote.",
        [](const OperationCounters& counters) { return counters.bytes_written; }, out);
    out.family("tegu_requests_refused_total", MetricType::Counter, "Requests answered with an error before they ran.");
    for (std::size_t status = 0; status < kStatusSlots; ++status)
        if (statistics.refused[status] > 0)
            out.sample({{"status", status_info(static_cast<Status>(status)).word}}, statistics.refused[status]);
}

}  // namespace

void add_server_metrics(const Server& server, Exposition& out) {
    constexpr MetricType kGauge = MetricType::Gauge, kCounter = MetricType::Counter;
    const Statistics& statistics = server.statistics();
    const ExecutorLoad load = server.load();
    out.family("tegu_build_info", kGauge, "The version of tegud; always 1.");
    out.sample({{"version", TEGU_VERSION}}, std::int64_t{1});
    single(out, "tegu_uptime_seconds", kGauge, "Time since the start.",
           seconds(nanoseconds(Clock::now() - server.started())));
    single(out, "tegu_connections", kGauge, "Open connections.", std::uint64_t{server.quotas().all().connections});
    single(out, "tegu_connections_total", kCounter, "Connections since the start.", statistics.connections_total);
    single(out, "tegu_requests_total", kCounter, "Requests since the start.", statistics.requests_total);
    single(out, "tegu_buffers", kGauge, "Buffers of all clients.", std::uint64_t{server.quotas().all().buffers});
    single(out, "tegu_buffer_bytes", kGauge, "Their size.", std::uint64_t{server.quotas().all().buffer_bytes});
    single(out, "tegu_jobs_waiting", kGauge, "Jobs in queues.", load.waiting);
    single(out, "tegu_jobs_running", kGauge, "Jobs on executors.", load.running);
    single(out, "tegu_gpu_jobs_total", kCounter, "Jobs that a GPU answered.", statistics.gpu_jobs_total);
    add_jobs(statistics, out);
}

}  // namespace tegu::daemon
