// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/report.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "config/setting_info.h"
#include "daemon/server.h"
#include "daemon/service/notify.h"
#include "daemon/tuning/tuning_report.h"

namespace tegu::daemon {
namespace {

class Fields {
  public:
    void add(std::string name, std::uint64_t value) { list_.push_back({std::move(name), value}); }
    void add(std::string name, double value) { list_.push_back({std::move(name), value}); }
    void add(std::string name, std::string value) { list_.push_back({std::move(name), std::move(value)}); }
    void add(std::vector<wire::Field> fields) {
        std::move(fields.begin(), fields.end(), std::back_inserter(list_));
    }
    std::vector<wire::Field> take() { return std::move(list_); }

  private:
    std::vector<wire::Field> list_;
};

std::string lower(std::string_view word) {
    std::string text(word);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

double uptime_seconds(const Server& server) {
    return static_cast<double>(nanoseconds(Clock::now() - server.started())) * 1e-9;
}

void add_device(const std::string& prefix, const device::DeviceInfo& device, Fields& fields) {
    fields.add(prefix + "index", static_cast<std::uint64_t>(device.ordinal));
    fields.add(prefix + "name", device.name);
    fields.add(prefix + "compute_capability", std::uint64_t{device.limits.compute_capability});
    fields.add(prefix + "multiprocessors", std::uint64_t{device.limits.multiprocessors});
    fields.add(prefix + "memory_bytes", device.memory_bytes);
    fields.add(prefix + "core_clock_khz", device.core_clock_khz);
    fields.add(prefix + "memory_clock_khz", device.memory_clock_khz);
}

// What computes besides the CPU, or why nothing does. The first GPU is gpu_..., the second gpu1_..., and so
// on.
void add_gpu(const GpuStatus& gpu, Fields& fields) {
    fields.add("backend", std::string(gpu.runs() ? "gpu" : "cpu"));
    fields.add("backend_reason", gpu.reason);
    fields.add("health", std::string(gpu.degraded ? "degraded" : "ok"));
    const device::MemoryClass memory_class =
        gpu.runs() ? gpu.devices.front().memory_class : device::MemoryClass::None;
    fields.add("memory_class", std::string(device::memory_class_word(memory_class)));
    std::string built;
    for (const unsigned architecture : device::built_architectures())
        built += (built.empty() ? "sm_" : " sm_") + std::to_string(architecture);
    fields.add("gpu_built_for", built);
    fields.add("gpus", std::uint64_t{gpu.devices.size()});
    std::string prefix = "gpu_";
    for (std::size_t i = 0; i < gpu.devices.size(); prefix = "gpu" + std::to_string(++i) + "_")
        add_device(prefix, gpu.devices[i], fields);
}

void add_limits(const config::Settings& settings, Fields& fields) {
    for (const config::SettingInfo& info : config::setting_infos()) {
        if (info.table != "limits") continue;
        const config::SettingValue value = info.get(settings);
        if (const std::uint64_t* number = std::get_if<std::uint64_t>(&value))
            fields.add("limit_" + std::string(info.name), *number);
    }
    fields.add("limit_body_bytes", std::uint64_t{wire::kMaxBodyBytes});
    fields.add("limit_inline_bytes", std::uint64_t{wire::kMaxInlineBytes});
}

// How well the costs of an operation are predicted; CostRecord says what the numbers are.
void add_costs(const OperationInfo& info, const CostModel& costs, Fields& fields) {
    const std::string stem(info.stem);
    const CostRecord& record = costs.record(info.operation);
    fields.add("predicted_" + stem + "_jobs_total", record.jobs);
    fields.add("predicted_" + stem + "_seconds_total", record.predicted_seconds);
    fields.add("measured_" + stem + "_seconds_total", record.measured_seconds);
    fields.add("cost_error_" + stem + "_ratio", record.error());
    fields.add("cost_correction_" + stem + "_inline_ratio", costs.correction(info.operation, kOneThread));
    fields.add("cost_correction_" + stem + "_executor_ratio", costs.correction(info.operation, kPool));
    fields.add("cost_correction_" + stem + "_gpu_ratio", costs.correction(info.operation, kFirstGpu));
}

void add_operation(const OperationInfo& info, const OperationCounters& counters, Fields& fields) {
    const std::string prefix = "operation_" + std::string(info.stem) + "_";
    std::uint64_t jobs = 0;
    for (std::size_t status = 0; status < kStatusSlots; ++status) {
        const std::uint64_t count = counters.replies[status];
        jobs += count;
        if (count > 0 || status == 0)
            fields.add(prefix + lower(status_info(static_cast<Status>(status)).word) + "_total", count);
    }
    fields.add(prefix + "jobs_total", jobs);
    fields.add(prefix + "inline_total", counters.inline_jobs);
    fields.add(prefix + "queue_ns_total", counters.queue_ns);
    fields.add(prefix + "compute_ns_total", counters.compute_ns);
    fields.add(prefix + "bytes_read_total", counters.bytes_read);
    fields.add(prefix + "bytes_written_total", counters.bytes_written);
}

// Where the times come from that decide where jobs run.
void add_placement(const Server& server, Fields& fields) {
    const CostModel& costs = server.placement().costs();
    fields.add("placement_cpu", std::string(cost_source_word(costs.source(kPool))));
    for (Backend backend = kFirstGpu; backend < costs.backends(); ++backend) {
        const std::string number = backend == kFirstGpu ? "" : std::to_string(backend - kFirstGpu);
        fields.add("placement_gpu" + number, std::string(cost_source_word(costs.source(backend))));
    }
    fields.add("placement_probing", std::uint64_t{server.is_probing()});
}

void add_placed(const Server& server, Fields& fields) {
    const PlacementCounts& counts = server.placement().counts();
    for (std::size_t place = 0; place < kPlaces; ++place)
        fields.add("placed_" + std::string(place_word(static_cast<Place>(place))) + "_total",
                   counts.places[place]);
    for (std::size_t reason = 0; reason < kReasons; ++reason)
        fields.add("placed_for_" + std::string(reason_word(static_cast<Reason>(reason))) + "_total",
                   counts.reasons[reason]);
    for (const Place place : {Place::Express, Place::Pool, Place::Gpu})
        fields.add("start_" + std::string(place_word(place)) + "_us", server.placement().start_us(place));
    for (std::size_t kind = 0; kind + kFirstGpu < server.placement().costs().backends(); ++kind)
        fields.add("gpu" + (kind == 0 ? "" : std::to_string(kind)) + "_copy_gb_per_s",
                   server.placement().copies(kind).gb_per_s());
}

// Sums over the operations.
void add_jobs(const Statistics& statistics, Fields& fields) {
    std::uint64_t jobs = 0, ok = 0, inline_jobs = 0, queue_ns = 0, compute_ns = 0, bytes_read = 0,
                  bytes_written = 0;
    for (const OperationCounters& counters : statistics.operations) {
        for (const std::uint64_t count : counters.replies) jobs += count;
        ok += counters.replies[0];
        inline_jobs += counters.inline_jobs;
        queue_ns += counters.queue_ns;
        compute_ns += counters.compute_ns;
        bytes_read += counters.bytes_read;
        bytes_written += counters.bytes_written;
    }
    fields.add("jobs_total", jobs);
    fields.add("jobs_ok_total", ok);
    fields.add("jobs_failed_total", jobs - ok);
    fields.add("jobs_inline_total", inline_jobs);
    fields.add("jobs_inline_ratio", ratio(inline_jobs, jobs));
    fields.add("results_dropped_total", statistics.results_dropped_total);
    fields.add("queue_ns_total", queue_ns);
    fields.add("compute_ns_total", compute_ns);
    fields.add("bytes_read_total", bytes_read);
    fields.add("bytes_written_total", bytes_written);
}

}  // namespace

std::vector<wire::Field> info_fields(const Server& server) {
    Fields fields;
    fields.add("version", std::string(TEGU_VERSION));
    fields.add("protocol_version", std::uint64_t{wire::kVersionMax});
    fields.add("pid", static_cast<std::uint64_t>(::getpid()));
    fields.add("uptime_seconds", uptime_seconds(server));
    add_gpu(server.gpus().status(), fields);
    fields.add("cpu_isa", std::string(kernels::cpu_isa()));
    fields.add("executor_threads", std::uint64_t{server.executor_threads()});
    fields.add("inline_budget_us", server.settings().executor.inline_budget_us);
    fields.add("settings_file", server.settings_file());
    fields.add("socket", server.listener().path);
    fields.add("socket_activated", std::uint64_t{server.listener().inherited});
    fields.add("service_manager", std::string(has_service_manager() ? "systemd" : "none"));
    fields.add("state", std::string(server.stopping() ? "stopping" : "serving"));
    add_limits(server.settings(), fields);
    add_placement(server, fields);
    fields.add(tuning_fields(server.tuning(), server.gpus().status()));
    return fields.take();
}

std::vector<wire::Field> stats_fields(const Server& server) {
    const Statistics& statistics = server.statistics();
    const ExecutorLoad load = server.executors().load();
    Fields fields;
    fields.add("uptime_seconds", uptime_seconds(server));
    fields.add("connections", server.quotas().all().connections);
    fields.add("connections_total", statistics.connections_total);
    fields.add("users", server.quotas().users());
    fields.add("requests_total", statistics.requests_total);
    fields.add("bytes_received_total", statistics.bytes_received);
    fields.add("bytes_sent_total", statistics.bytes_sent);
    fields.add("reloads_total", statistics.reloads_total);
    fields.add("buffers", server.quotas().all().buffers);
    fields.add("buffer_bytes", server.quotas().all().buffer_bytes);
    fields.add("buffers_total", statistics.buffers_total);
    fields.add("buffers_attached_total", statistics.buffers_attached_total);
    const StoreStatus store = server.store().status();
    fields.add("buffers_stored", std::uint64_t{store.buffers});
    fields.add("buffers_orphaned", std::uint64_t{store.orphans});
    fields.add("jobs_in_flight", server.quotas().all().jobs);
    fields.add("jobs_waiting", load.waiting);
    fields.add("jobs_running", load.running);
    fields.add("predicted_work_waiting_ns", load.waiting_ns);
    fields.add("predicted_work_running_ns", load.running_ns);
    fields.add("scratch_running_bytes", load.running_scratch_bytes);
    add_jobs(statistics, fields);
    fields.add("gpu_jobs_total", statistics.gpu_jobs_total);
    for (std::size_t i = 0; i < server.gpus().all().size() && server.gpus().all().size() > 1; ++i)
        fields.add("gpu" + std::to_string(i) + "_jobs_total", statistics.gpu_jobs[i]);
    fields.add("gpu_divided_total", statistics.gpu_divided_total);
    fields.add("gpu_fallbacks_total", statistics.gpu_fallbacks_total);
    const GpuUse gpu = server.gpus().use();
    fields.add("gpu_buffers", gpu.buffers);
    fields.add("gpu_arena_bytes", gpu.arena_bytes);
    fields.add("gpu_arena_used_bytes", gpu.arena_used_bytes);
    for (std::size_t status = 0; status < kStatusSlots; ++status)
        if (statistics.refused[status] > 0)
            fields.add("refused_" + lower(status_info(static_cast<Status>(status)).word) + "_total",
                       statistics.refused[status]);
    for (std::size_t reason = 0; reason < kCloseReasons; ++reason)
        fields.add(std::string("closed_") + close_reason_word(static_cast<CloseReason>(reason)) + "_total",
                   statistics.closed[reason]);
    for (const OperationInfo& info : operation_infos())
        add_operation(info, statistics.operations[static_cast<std::size_t>(info.operation)], fields);
    add_placed(server, fields);
    for (const OperationInfo& info : operation_infos()) add_costs(info, server.placement().costs(), fields);
    return fields.take();
}

}  // namespace tegu::daemon
