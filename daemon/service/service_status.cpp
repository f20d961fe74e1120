// SPDX-License-Identifier: Apache-2.0
#include "daemon/service/service_status.h"

#include "daemon/jobs/job_services.h"
#include "daemon/reports/board_health.h"
#include "daemon/reports/daemon_record.h"
#include "daemon/reports/report_sources.h"
#include "daemon/service/notify.h"
#include "daemon/sessions/listener.h"
#include "daemon/sessions/session_table.h"

namespace tegu::daemon {
namespace {

constexpr auto kPause = std::chrono::seconds(5);
constexpr std::size_t kMaxReasonBytes = 200;

std::string counted(std::uint64_t count, const std::string& word) {
    return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string what_computes(const ReportSources& sources) {
    const GpuStatus& gpu = sources.jobs.gpus().status();
    const std::string cpu =
        std::string("cpu ") + kernels::cpu_isa() + ", " + counted(sources.jobs.threads, "thread");
    if (!gpu.runs())
        return cpu + (gpu.degraded ? " (no GPU: " + gpu.reason.substr(0, kMaxReasonBytes) + ")" : "");
    std::string text = "GPU " + gpu.devices.front().name;
    if (gpu.devices.size() > 1) text += " and " + std::to_string(gpu.devices.size() - 1) + " more";
    text += ", memory class " + std::string(device::memory_class_word(gpu.devices.front().memory_class));
    return text + (gpu.degraded ? " (" + gpu.reason.substr(0, kMaxReasonBytes) + ")" : "") + ", " + cpu;
}

std::string health_of(const health::Assessment& assessment) {
    std::string text = health::state_word(assessment.state);
    const health::Reason* worst = nullptr;
    for (const health::Reason& reason : assessment.reasons)
        if (worst == nullptr || health::code_info(reason.code).state > health::code_info(worst->code).state)
            worst = &reason;
    if (worst == nullptr) return text;
    text += " (" + worst->sentence.substr(0, kMaxReasonBytes);
    if (assessment.reasons.size() > 1)
        text += " and " + std::to_string(assessment.reasons.size() - 1) + " more";
    return text + ")";
}

std::uint64_t jobs_answered(const Statistics& statistics) {
    std::uint64_t jobs = 0;
    for (const OperationCounters& counters : statistics.operations)
        for (const std::uint64_t replies : counters.replies) jobs += replies;
    return jobs;
}

}  // namespace

std::string service_status(const ServiceFacts& facts) {
    return std::string(facts.stopping ? "stopping" : "serving on " + facts.socket) + ": " + facts.computes +
           "; health " + facts.health + "; " + counted(facts.clients, "client") + ", " +
           counted(facts.waiting, "job") + " waiting, " + std::to_string(facts.running) + " running, " +
           std::to_string(facts.answered) + " answered" +
           (facts.reload_failed ? "; the last reload failed, the settings before it are in force" : "");
}

ServiceFacts service_facts(const ReportSources& sources) {
    const ExecutorLoad load = sources.jobs.executors.load();
    return {sources.stop.stopping,
            sources.listener.path,
            what_computes(sources),
            health_of(sources.health.assessment()),
            sources.sessions.all().size(),
            load.waiting,
            load.running,
            jobs_answered(sources.record.statistics),
            false};
}

std::string ServiceStatus::begin(const ReportSources& sources, bool reload_failed) {
    reload_failed_ = reload_failed;
    ServiceFacts facts = service_facts(sources);
    facts.reload_failed = reload_failed_;
    next_ = Clock::now() + kPause;
    return told_ = service_status(facts);
}

void ServiceStatus::refresh(const ReportSources& sources, TimePoint now) {
    if (now < next_ || sources.stop.stopping || !has_service_manager()) return;
    next_ = now + kPause;
    ServiceFacts facts = service_facts(sources);
    facts.reload_failed = reload_failed_;
    std::string text = service_status(facts);
    if (text == told_) return;
    notify_status(text);
    told_ = std::move(text);
}

}  // namespace tegu::daemon
