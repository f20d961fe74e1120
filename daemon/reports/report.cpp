// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/report.h"

#include <unistd.h>

#include <algorithm>

#include "config/setting_info.h"
#include "daemon/buffers/quota.h"
#include "daemon/jobs/job_services.h"
#include "daemon/reports/counter_families.h"
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

void add_operation(const OperationInfo& info, const OperationCounters& counters, Fields& fields) {
    const std::string prefix = "operation_" + std::string(info.stem) + "_";
    std::uint64_t jobs = 0;
    for (std::size_t status = 0; status < kStatusSlots; ++status) {
        const std::uint64_t count = counters.replies[status];
        jobs += count;
        if (count > 0 || status == 0)
            fields.add(prefix + status_key(static_cast<Status>(status)) + "_total", count);
    }
    fields.add(prefix + "jobs_total", jobs);
    for (const OperationCounter& counter : operation_counters())
        fields.add(prefix + counter.name, counters.*counter.value);
}

// The sources of the predicted times that decide where jobs run.
void add_placement(const ReportSources& sources, Fields& fields) {
    const CostModel& costs = sources.jobs.placement.costs();
    fields.add("placement_cpu", std::string(cost_source_word(costs.source(kPool))));
    for (CostResource resource = kFirstGpu; resource < costs.resources(); ++resource) {
        const std::string number = resource == kFirstGpu ? "" : std::to_string(resource - kFirstGpu);
        fields.add("placement_gpu" + number, std::string(cost_source_word(costs.source(resource))));
    }
    fields.add("placement_probing", std::uint64_t{sources.jobs.probe.runs()});
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
    for (const OperationInfo& info : operation_infos())
        add_operation(info, statistics.operations[static_cast<std::size_t>(info.operation)], fields);
    for (const CounterFamily& family : counter_families())
        for (const auto& [word, number] : values_of(family, sources))
            std::visit([&, &of = word](auto value) { fields.add(family.name(of), value); }, number);
    return fields.take();
}

}  // namespace tegu::daemon
