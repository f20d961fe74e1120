// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/report.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "config/setting_info.h"
#include "daemon/buffers/quota.h"
#include "daemon/jobs/job_services.h"
#include "daemon/reports/counters.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/service/notify.h"
#include "daemon/service/reload.h"
#include "daemon/sessions/listener.h"
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

double uptime_seconds(const ReportSources& sources) {
    return static_cast<double>(nanoseconds(Clock::now() - sources.record.started)) * 1e-9;
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

// The GPUs in use, or why there are none. The first GPU is gpu_..., the second gpu1_..., and so on.
void add_gpu(const GpuStatus& gpu, Fields& fields) {
    fields.add("backend", std::string(gpu.runs() ? "gpu" : "cpu"));
    fields.add("backend_reason", gpu.reason);
    fields.add("health", std::string(gpu.degraded ? "degraded" : "ok"));
    const device::MemoryClass memory_class =
        gpu.runs() ? gpu.devices.front().memory_class : device::MemoryClass::None;
    fields.add("memory_class", std::string(device::memory_class_word(memory_class)));
    std::string built;
    for (const unsigned architecture : gpu.built)
        built += (built.empty() ? "sm_" : " sm_") + std::to_string(architecture);
    fields.add("gpu_built_for", built);
    fields.add("gpu_module", gpu.module);
    fields.add("gpu_modules_refused", gpu.refused_modules);
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

// Accuracy of the cost predictions of an operation; CostRecord defines the numbers.
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
    for (const OperationCounter& counter : operation_counters())
        fields.add(prefix + counter.name, counters.*counter.value);
}

// Where the times come from that decide where jobs run.
void add_placement(const ReportSources& sources, Fields& fields) {
    const CostModel& costs = sources.jobs.placement.costs();
    fields.add("placement_cpu", std::string(cost_source_word(costs.source(kPool))));
    for (Backend backend = kFirstGpu; backend < costs.backends(); ++backend) {
        const std::string number = backend == kFirstGpu ? "" : std::to_string(backend - kFirstGpu);
        fields.add("placement_gpu" + number, std::string(cost_source_word(costs.source(backend))));
    }
    fields.add("placement_probing", std::uint64_t{sources.jobs.probe.runs()});
}

void add_placed(const ReportSources& sources, Fields& fields) {
    const PlacementCounts& counts = sources.jobs.placement.counts();
    for (std::size_t target = 0; target < kTargets; ++target)
        fields.add("placed_" + std::string(target_word(static_cast<Target>(target))) + "_total",
                   counts.targets[target]);
    for (std::size_t reason = 0; reason < kReasons; ++reason)
        fields.add("placed_for_" + std::string(reason_word(static_cast<Reason>(reason))) + "_total",
                   counts.reasons[reason]);
    for (const Target target : {Target::Express, Target::Pool, Target::Gpu})
        fields.add("start_" + std::string(target_word(target)) + "_us",
                   sources.jobs.placement.start_us(target));
    for (std::size_t kind = 0; kind + kFirstGpu < sources.jobs.placement.costs().backends(); ++kind)
        fields.add("gpu" + (kind == 0 ? "" : std::to_string(kind)) + "_copy_gb_per_s",
                   sources.jobs.placement.copies(kind).gb_per_s());
}

// Sums over the operations.
void add_jobs(const Statistics& statistics, Fields& fields) {
    std::uint64_t jobs = 0, ok = 0, inline_jobs = 0;
    for (const OperationCounters& counters : statistics.operations) {
        for (const std::uint64_t count : counters.replies) jobs += count;
        ok += counters.replies[0];
        inline_jobs += counters.inline_jobs;
    }
    fields.add("jobs_total", jobs);
    fields.add("jobs_ok_total", ok);
    fields.add("jobs_failed_total", jobs - ok);
    fields.add("jobs_inline_ratio", ratio(inline_jobs, jobs));
    for (const OperationCounter& counter : operation_counters())
        fields.add(counter.sum, sum_of(counter, statistics));
}

}  // namespace

std::vector<wire::Field> info_fields(const ReportSources& sources) {
    Fields fields;
    fields.add("version", std::string(TEGU_VERSION));
    fields.add("protocol_version", std::uint64_t{wire::kVersionMax});
    fields.add("pid", static_cast<std::uint64_t>(::getpid()));
    fields.add("uptime_seconds", uptime_seconds(sources));
    add_gpu(sources.jobs.gpus().status(), fields);
    fields.add("cpu_isa", std::string(kernels::cpu_isa()));
    fields.add("executor_threads", std::uint64_t{sources.jobs.threads});
    fields.add("inline_budget_us", sources.settings.values.executor.inline_budget_us);
    fields.add("settings_file", sources.settings.file);
    fields.add("socket", sources.listener.path);
    fields.add("socket_activated", std::uint64_t{sources.listener.inherited});
    fields.add("service_manager", std::string(has_service_manager() ? "systemd" : "none"));
    fields.add("state", std::string(sources.stop.stopping ? "stopping" : "serving"));
    add_limits(sources.settings.values, fields);
    add_placement(sources, fields);
    fields.add(tuning_fields(sources.jobs.tuning, sources.jobs.gpus().status()));
    return fields.take();
}

std::vector<wire::Field> stats_fields(const ReportSources& sources) {
    const Statistics& statistics = sources.record.statistics;
    const ExecutorLoad load = sources.jobs.executors.load();
    Fields fields;
    fields.add("uptime_seconds", uptime_seconds(sources));
    for (const Counter& counter : counters()) fields.add(counter.name, counter.value(sources));
    fields.add("jobs_waiting", load.waiting);
    fields.add("jobs_running", load.running);
    fields.add("predicted_work_waiting_ns", load.waiting_ns);
    fields.add("predicted_work_running_ns", load.running_ns);
    add_jobs(statistics, fields);
    for (std::size_t i = 0; i < sources.jobs.gpus().all().size() && sources.jobs.gpus().all().size() > 1; ++i)
        fields.add("gpu" + std::to_string(i) + "_jobs_total", statistics.gpu_jobs[i]);
    for (std::size_t status = 0; status < kStatusSlots; ++status)
        if (statistics.refused[status] > 0)
            fields.add("refused_" + lower(status_info(static_cast<Status>(status)).word) + "_total",
                       statistics.refused[status]);
    for (std::size_t reason = 0; reason < kCloseReasons; ++reason)
        fields.add(std::string("closed_") + close_reason_word(static_cast<CloseReason>(reason)) + "_total",
                   statistics.closed[reason]);
    for (const OperationInfo& info : operation_infos())
        add_operation(info, statistics.operations[static_cast<std::size_t>(info.operation)], fields);
    add_placed(sources, fields);
    for (const OperationInfo& info : operation_infos())
        add_costs(info, sources.jobs.placement.costs(), fields);
    return fields.take();
}

}  // namespace tegu::daemon
