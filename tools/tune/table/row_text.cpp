// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/table/row_text.h"

#include <cstdio>

#include "tools/tune/measure/policy_text.h"

namespace tegu::tune {
namespace {

// "", ", 1..31 elements", ", 512.. elements".
std::string range_text(const TuningRange& range, const char* what) {
    if (range == TuningRange()) return "";
    std::string text = ", " + std::to_string(range.begin);
    if (range.end != range.begin + 1) text += "..";
    if (range.end != range.begin + 1 && range.end != UINT64_MAX) text += std::to_string(range.end - 1);
    return text + " " + what;
}

std::string evidence_text(const TuningEvidence& evidence) {
    if (evidence.time_us <= 0 || evidence.default_us <= 0) return "  (" + evidence.provenance + ")";
    char text[96];
    std::snprintf(text, sizeof text, "  (%+.1f %%: %.1f us, default %.1f us, noise %.1f %%)",
                  100 * (evidence.time_us / evidence.default_us - 1), evidence.time_us, evidence.default_us,
                  100 * evidence.noise);
    return text;
}

}  // namespace

std::string device_text(const TuningDevice& device) {
    std::string text = device.name.empty() ? "any device" : device.name;
    if (device.compute_capability != 0) text += ", sm_" + std::to_string(device.compute_capability);
    if (device.multiprocessors != 0)
        text += ", " + std::to_string(device.multiprocessors) + " multiprocessors";
    if (device.cpu_threads != 0) text += ", " + std::to_string(device.cpu_threads) + " threads";
    return text;
}

std::string class_text(const TuningClass& jobs) {
    std::string text = jobs.backend == TuningBackend::Cuda ? "cuda " : "cpu ";
    text += jobs.operation;
    if (!jobs.type.empty())
        text += " " + jobs.type;
    else if (jobs.width != 0)
        text += " of " + std::to_string(jobs.width) + " bytes";
    if (!jobs.variant.empty()) text += " " + jobs.variant;
    text += range_text(jobs.sequences, jobs.sequences.end == 2 ? "sequence" : "sequences");
    text += range_text(jobs.elements, "elements");
    text += range_text(jobs.detail, "detail");
    return text + range_text(jobs.levels, "levels");
}

std::string row_line(const TuningRow& row) {
    return row.id + "  " + class_text(row.jobs) + ": " + changes_text(row.policy) +
           evidence_text(row.evidence);
}

}  // namespace tegu::tune
