// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/counter_families.h"

#include <algorithm>

#include "daemon/jobs/job_services.h"
#include "daemon/reports/counters.h"
#include "daemon/reports/daemon_record.h"

namespace tegu::daemon {
namespace {

using Word = const std::string&;
using health::DaemonReport;
using health::NamedCount;
using health::Number;
using Zeros = CounterFamily::Zeros;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

std::string status_of(Sources, std::size_t i) {
    return std::string(status_info(static_cast<Status>(i)).word);
}
std::string target_of(Sources, std::size_t i) {
    return std::string(target_word(static_cast<Target>(i)));
}
std::string number_of(Sources, std::size_t i) {
    return std::to_string(i);
}

// Operations with a cost record.
std::size_t operations(Sources) {
    return operation_infos().size();
}
std::string stem_of(Sources, std::size_t i) {
    return std::string(operation_infos()[i].stem);
}
const CostRecord& record_of(Sources of, std::size_t i) {
    return of.jobs.placement.costs().record(operation_infos()[i].operation);
}
double correction_of(Sources of, std::size_t i, CostResource backend) {
    return of.jobs.placement.costs().correction(operation_infos()[i].operation, backend);
}

// The targets where a job waits for a start: all but the first, the io thread.
constexpr std::size_t kFirstStart = 1;
static_assert(static_cast<std::size_t>(Target::Inline) < kFirstStart);

constexpr CounterFamily kFamilies[] = {
    {[](Word gpu) { return "gpu" + gpu + "_jobs_total"; }, "gpu_jobs_total", nullptr,
     "tegu_gpu_device_jobs_total", "gpu", kTotal, "Jobs that a GPU answered, where there are several.", 1,
     Zeros::Shown,
     [](Sources of) {
         const std::size_t gpus = of.record.statistics.gpu_jobs.size();
         return gpus > 1 ? gpus : 0;
     },
     number_of, [](Sources of, std::size_t i) { return Number(of.record.statistics.gpu_jobs[i]); }},
    {[](Word status) { return "refused_" + lower(status) + "_total"; }, nullptr,
     [](DaemonReport& report) -> std::vector<NamedCount>& { return report.refused; },
     "tegu_requests_refused_total", "status", kTotal, "Requests answered with an error before they ran.", 1,
     Zeros::NotShown, [](Sources) { return kStatusSlots; }, status_of,
     [](Sources of, std::size_t i) { return Number(of.record.statistics.refused[i]); }},
    {[](Word reason) { return "closed_" + reason + "_total"; }, nullptr,
     [](DaemonReport& report) -> std::vector<NamedCount>& { return report.closed; },
     "tegu_connections_closed_total", "reason", kTotal, "Connections that ended, by the reason.", 1,
     Zeros::NotInHealth, [](Sources) { return kCloseReasons; },
     [](Sources, std::size_t i) { return std::string(close_reason_word(static_cast<CloseReason>(i))); },
     [](Sources of, std::size_t i) { return Number(of.record.statistics.closed[i]); }},
    {[](Word priority) { return "jobs_waiting_" + priority; }, nullptr, nullptr, "tegu_jobs_waiting",
     "priority", kGauge, "Jobs in queues.", 1, Zeros::Shown,
     [](Sources) { return std::size_t{wire::kPriorityCount}; },
     [](Sources, std::size_t i) {
         constexpr const char* kWords[] = {"high", "normal", "low"};
         return std::string(kWords[i]);
     },
     [](Sources of, std::size_t i) { return Number(of.jobs.executors.load().waiting_by_priority[i]); }},
    {[](Word target) { return "placed_" + target + "_total"; }, nullptr,
     [](DaemonReport& report) -> std::vector<NamedCount>& { return report.placement.places; },
     "tegu_jobs_placed_total", "place", kTotal, "Jobs that were admitted, by where they were to run.", 1,
     Zeros::Shown, [](Sources) { return kTargets; }, target_of,
     [](Sources of, std::size_t i) { return Number(of.jobs.placement.counts().targets[i]); }},
    {[](Word reason) { return "placed_for_" + reason + "_total"; }, nullptr,
     [](DaemonReport& report) -> std::vector<NamedCount>& { return report.placement.reasons; },
     "tegu_placements_total", "reason", kTotal, "Jobs that were admitted, by why they were to run there.", 1,
     Zeros::Shown, [](Sources) { return kReasons; },
     [](Sources, std::size_t i) { return std::string(reason_word(static_cast<Reason>(i))); },
     [](Sources of, std::size_t i) { return Number(of.jobs.placement.counts().reasons[i]); }},
    {[](Word target) { return "start_" + target + "_us"; }, "start_us", nullptr, "tegu_job_start_seconds",
     "place", kGauge, "Time to hand a job to a place and its result back, as learnt.", 1e-6, Zeros::Shown,
     [](Sources) { return kTargets - kFirstStart; },
     [](Sources of, std::size_t i) { return target_of(of, i + kFirstStart); },
     [](Sources of, std::size_t i) {
         return Number(of.jobs.placement.start_us(static_cast<Target>(i + kFirstStart)));
     }},
    {[](Word kind) { return "gpu" + (kind == "0" ? std::string() : kind) + "_copy_gb_per_s"; },
     "gpu_copy_gb_per_s", nullptr, "tegu_gpu_copy_bytes_per_second", "kind", kGauge,
     "Speed of large copies to and from a kind of GPU, as learnt.", 1e9, Zeros::Shown,
     [](Sources of) { return of.jobs.placement.costs().resources() - kFirstGpu; }, number_of,
     [](Sources of, std::size_t i) { return Number(of.jobs.placement.copies(i).gb_per_s()); }},
    {[](Word stem) { return "predicted_" + stem + "_jobs_total"; }, "predicted_jobs_total", nullptr,
     "tegu_cost_predicted_jobs_total", "operation", kTotal, "Jobs whose predicted time was compared.", 1,
     Zeros::Shown, operations, stem_of,
     [](Sources of, std::size_t i) { return Number(record_of(of, i).jobs); }},
    {[](Word stem) { return "predicted_" + stem + "_seconds_total"; }, "predicted_seconds_total", nullptr,
     "tegu_cost_predicted_seconds_total", "operation", kTotal, "The sum of their predicted times.", 1,
     Zeros::Shown, operations, stem_of,
     [](Sources of, std::size_t i) { return Number(record_of(of, i).predicted_seconds); }},
    {[](Word stem) { return "measured_" + stem + "_seconds_total"; }, "measured_seconds_total", nullptr,
     "tegu_cost_measured_seconds_total", "operation", kTotal, "The sum of their measured times.", 1,
     Zeros::Shown, operations, stem_of,
     [](Sources of, std::size_t i) { return Number(record_of(of, i).measured_seconds); }},
    {[](Word stem) { return "cost_error_" + stem + "_ratio"; }, "cost_error_ratio", nullptr,
     "tegu_cost_error_by_time_ratio", "operation", kGauge,
     "The sum of the errors of predictions, as a share of the measured time.", 1, Zeros::Shown, operations,
     stem_of, [](Sources of, std::size_t i) { return Number(record_of(of, i).error()); }},
    {[](Word stem) { return "cost_correction_" + stem + "_inline_ratio"; }, "cost_correction_inline_ratio",
     nullptr, "tegu_cost_correction_inline_ratio", "operation", kGauge,
     "Measured to planned time on one thread, as learnt.", 1, Zeros::Shown, operations, stem_of,
     [](Sources of, std::size_t i) { return Number(correction_of(of, i, kOneThread)); }},
    {[](Word stem) { return "cost_correction_" + stem + "_executor_ratio"; },
     "cost_correction_executor_ratio", nullptr, "tegu_cost_correction_executor_ratio", "operation", kGauge,
     "Measured to planned time on the pool, as learnt.", 1, Zeros::Shown, operations, stem_of,
     [](Sources of, std::size_t i) { return Number(correction_of(of, i, kPool)); }},
    {[](Word stem) { return "cost_correction_" + stem + "_gpu_ratio"; }, "cost_correction_gpu_ratio", nullptr,
     "tegu_cost_correction_gpu_ratio", "operation", kGauge,
     "Measured to planned time on the first kind of GPU, without copies, as learnt.", 1, Zeros::Shown,
     operations, stem_of, [](Sources of, std::size_t i) { return Number(correction_of(of, i, kFirstGpu)); }},
};

}  // namespace

Span<const CounterFamily> counter_families() {
    return kFamilies;
}

std::string status_key(Status status) {
    return lower(std::string(status_info(status).word));
}

bool is_zero(const Number& number) {
    return std::visit([](auto value) { return !(value < 0) && !(value > 0); }, number);
}

CounterValues values_of(const CounterFamily& family, const ReportSources& sources) {
    CounterValues values;
    for (std::size_t i = 0; i < family.size(sources); ++i) {
        const Number number = family.value(sources, i);
        if (family.zeros != Zeros::NotShown || !is_zero(number))
            values.emplace_back(family.word(sources, i), number);
    }
    return values;
}

}  // namespace tegu::daemon
