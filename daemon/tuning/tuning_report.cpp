// SPDX-License-Identifier: Apache-2.0
#include "daemon/tuning/tuning_report.h"

#include <algorithm>

namespace tegu::daemon {
namespace {

constexpr std::size_t kReasonBytes = 256;
constexpr std::size_t kRowsBytes = 900;  // of the list of an operation

// "overlay: 4 rows; nvidia-h200-132 (device): 41 rows"; "default" without any.
std::string tables_text(const tuning::DeviceTuning& tuning, TuningBackend backend) {
    std::string text;
    for (const tuning::TableUse& use : tuning.tables()) {
        const unsigned rows = backend == TuningBackend::Cuda ? use.cuda_rows : use.cpu_rows;
        if (rows == 0) continue;
        text += (text.empty() ? "" : "; ") + use.key;
        if (use.level != tuning::TuningLevel::Overlay)
            text += " (" + std::string(tuning_level_word(use.level)) + ")";
        text += ": " + std::to_string(rows) + (rows == 1 ? " row" : " rows");
    }
    return text.empty() ? "default" : text;
}

// The names of the rows, as many as fit.
std::string rows_text(const std::vector<std::string_view>& rows) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (text.size() + rows[i].size() > kRowsBytes)
            return text + " and " + std::to_string(rows.size() - i) + " more";
        text.append(text.empty() ? "" : " ").append(rows[i]);
    }
    return text;
}

void add_rows(const std::string& prefix, const tuning::DeviceTuning& tuning, TuningBackend backend,
              std::vector<wire::Field>* fields) {
    for (const OperationInfo& info : operation_infos()) {
        const std::vector<std::string_view> rows = tuning.rows(backend, info.operation);
        if (!rows.empty()) fields->push_back({prefix + "rows_" + std::string(info.stem), rows_text(rows)});
    }
}

std::vector<std::string> reasons_of(const TuningState& state) {
    std::vector<std::string> reasons;
    for (const IgnoredRow& ignored : state.ignored()) {
        if (reasons.size() == kMaxReasonsReported) break;
        reasons.push_back(ignored_text(ignored).substr(0, kReasonBytes));
    }
    return reasons;
}

}  // namespace

std::vector<wire::Field> tuning_fields(const Tuning& tuning, const GpuStatus& gpus) {
    const TuningState& state = *tuning.state();
    // Appended one by one: an initializer list would be copied. In libstdc++ (up to 12 at least), copying a
    // variant of a string on out of memory is undefined behaviour.
    std::vector<wire::Field> fields;
    fields.push_back({"tuning_directory", tuning.directory()});
    fields.push_back({"tuning_overlay", tuning.overlay()});
    fields.push_back({"tuning_loads_total", tuning.loads()});
    fields.push_back({"tuning_rows", std::uint64_t{state.rows()}});
    fields.push_back({"tuning_costs", std::uint64_t{state.costs()}});
    fields.push_back({"tuning_ignored", std::uint64_t{state.ignored().size()}});
    fields.push_back({"cpu_tuning", tables_text(state.cpu(), TuningBackend::Cpu)});
    add_rows("cpu_", state.cpu(), TuningBackend::Cpu, &fields);
    std::string prefix = "gpu_";
    for (std::size_t i = 0; i < gpus.devices.size(); prefix = "gpu" + std::to_string(++i) + "_") {
        const tuning::DeviceTuning& device = state.gpu(gpus.devices[i].ordinal);
        fields.push_back({prefix + "tuning", tables_text(device, TuningBackend::Cuda)});
        add_rows(prefix, device, TuningBackend::Cuda, &fields);
    }
    const std::vector<std::string> reasons = reasons_of(state);
    for (std::size_t i = 0; i < reasons.size(); ++i)
        fields.push_back({"tuning_ignored_" + std::to_string(i), reasons[i]});
    return fields;
}

health::TuningReport tuning_report(const Tuning& tuning) {
    const TuningState& state = *tuning.state();
    health::TuningReport report;
    report.tables = state.tables();
    report.tables.resize(std::min(report.tables.size(), kMaxReasonsReported));
    report.rows = state.rows();
    report.costs = state.costs();
    report.loads_total = tuning.loads();
    report.ignored = state.ignored().size();
    report.reasons = reasons_of(state);
    return report;
}

}  // namespace tegu::daemon
