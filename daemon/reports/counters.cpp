// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/counters.h"

#include "daemon/buffers/quota.h"
#include "daemon/jobs/job_services.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/store/descriptor_store.h"

namespace tegu::daemon {
namespace {

constexpr Counter kCounters[] = {
    {"connections", "tegu_connections_open", kGauge, "Open connections.",
     [](Sources of) { return of.quotas.all().connections; }},
    {"connections_total", "tegu_connections_total", kTotal, "Connections since the start.",
     [](Sources of) { return of.record.statistics.connections_total; }},
    {"users", "tegu_users", kGauge, "Users who have a connection, a buffer or a job.",
     [](Sources of) { return of.quotas.users(); }},
    {"requests_total", "tegu_requests_total", kTotal, "Requests since the start.",
     [](Sources of) { return of.record.statistics.requests_total; }},
    {"bytes_received_total", "tegu_received_bytes_total", kTotal, "Bytes of requests.",
     [](Sources of) { return of.record.statistics.bytes_received; }},
    {"bytes_sent_total", "tegu_sent_bytes_total", kTotal, "Bytes of replies.",
     [](Sources of) { return of.record.statistics.bytes_sent; }},
    {"reloads_total", "tegu_reloads_total", kTotal, "Times that the settings were read again.",
     [](Sources of) { return of.record.statistics.reloads_total; }},
    {"buffers", "tegu_buffers_open", kGauge, "Buffers of all clients.",
     [](Sources of) { return of.quotas.all().buffers; }},
    {"buffer_bytes", "tegu_buffer_bytes", kGauge, "Their size.",
     [](Sources of) { return of.quotas.all().buffer_bytes; }},
    {"buffers_total", "tegu_buffers_total", kTotal, "Buffers that were registered or made.",
     [](Sources of) { return of.record.statistics.buffers_total; }},
    {"buffers_attached_total", "tegu_buffers_attached_total", kTotal,
     "Buffers of the previous daemon that their clients took over.",
     [](Sources of) { return of.record.statistics.buffers_attached_total; }},
    {"buffers_stored", "tegu_stored_buffers", kGauge,
     "Buffers that the service manager keeps over a restart.",
     [](Sources of) { return std::uint64_t{of.store.status().buffers}; }},
    {"buffers_orphaned", "tegu_orphaned_buffers", kGauge,
     "Buffers of the previous daemon that wait for their clients.",
     [](Sources of) { return std::uint64_t{of.store.status().orphans}; }},
    {"jobs_in_flight", "tegu_jobs_in_flight", kGauge, "Jobs without a reply yet.",
     [](Sources of) { return of.quotas.all().jobs; }},
    {"scratch_running_bytes", "tegu_scratch_bytes", kGauge, "Working memory of the jobs that run.",
     [](Sources of) { return of.jobs.executors.load().running_scratch_bytes; }},
    {"results_dropped_total", "tegu_results_dropped_total", kTotal, "Results of jobs whose client was gone.",
     [](Sources of) { return of.record.statistics.results_dropped_total; }},
    {"gpu_jobs_total", "tegu_gpu_jobs_total", kTotal, "Jobs that GPUs answered.",
     [](Sources of) { return of.record.statistics.gpu_jobs_total; }},
    {"gpu_divided_total", "tegu_gpu_divided_jobs_total", kTotal,
     "Of these, jobs that several computed together.",
     [](Sources of) { return of.record.statistics.gpu_divided_total; }},
    {"gpu_fallbacks_total", "tegu_gpu_fallbacks_total", kTotal,
     "Jobs that the CPU answered for want of memory of a GPU.",
     [](Sources of) { return of.record.statistics.gpu_fallbacks_total; }},
    {"gpu_buffers", "tegu_gpu_buffers", kGauge, "Buffers that GPUs hold a copy or a registration of.",
     [](Sources of) { return std::uint64_t{of.jobs.gpus().use().buffers}; }},
    {"gpu_arena_bytes", "tegu_gpu_arena_bytes", kGauge, "Memory that the daemon has of GPUs.",
     [](Sources of) { return std::uint64_t{of.jobs.gpus().use().arena_bytes}; }},
    {"gpu_arena_used_bytes", "tegu_gpu_arena_used_bytes", kGauge, "The part of it that is in use.",
     [](Sources of) { return std::uint64_t{of.jobs.gpus().use().arena_used_bytes}; }},
};

constexpr OperationCounter kOperationCounters[] = {
    {"inline_total", "jobs_inline_total", "tegu_jobs_inline_total", "Jobs that the io thread computed.",
     &OperationCounters::inline_jobs, false},
    {"queue_ns_total", "queue_ns_total", "tegu_job_queue_seconds_total", "Time that jobs waited.",
     &OperationCounters::queue_ns, true},
    {"compute_ns_total", "compute_ns_total", "tegu_job_compute_seconds_total",
     "Time that jobs were computed.", &OperationCounters::compute_ns, true},
    {"bytes_read_total", "bytes_read_total", "tegu_job_read_bytes_total", "Bytes that jobs read.",
     &OperationCounters::bytes_read, false},
    {"bytes_written_total", "bytes_written_total", "tegu_job_written_bytes_total", "Bytes that jobs wrote.",
     &OperationCounters::bytes_written, false},
};

}  // namespace

Span<const Counter> counters() {
    return kCounters;
}

Span<const OperationCounter> operation_counters() {
    return kOperationCounters;
}

std::uint64_t sum_of(const OperationCounter& counter, const Statistics& statistics) {
    std::uint64_t sum = 0;
    for (const OperationCounters& operation : statistics.operations) sum += operation.*counter.value;
    return sum;
}

}  // namespace tegu::daemon
