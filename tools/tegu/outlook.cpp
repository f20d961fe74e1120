// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/outlook.h"

#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

std::string seconds_text(double seconds) {
    return duration_text(1e9 * seconds);
}

}  // namespace

std::optional<Outlook> outlook_of(const std::vector<client::Field>& fields) {
    std::uint64_t jobs = 0, work_ns = 0;
    for (const client::Field& field : fields) {
        const auto* value = std::get_if<std::uint64_t>(&field.value);
        if (value == nullptr) continue;
        if (field.name == "jobs_in_flight") jobs = *value;
        if (field.name == "predicted_work_waiting_ns" || field.name == "predicted_work_running_ns")
            work_ns += *value;
    }
    if (jobs == 0 || work_ns == 0) return std::nullopt;
    return Outlook{static_cast<double>(work_ns) / 1e9, jobs == 1};
}

std::string waiting_text(double seconds, const std::optional<Outlook>& outlook) {
    const std::string time = seconds_text(seconds);
    if (!outlook) return "waiting " + time;
    const std::string expected = seconds_text(outlook->expected_seconds);
    if (!outlook->alone)
        return "waiting " + time + "; the work of all clients is expected to take " + expected;
    if (seconds >= outlook->expected_seconds)
        return "computing " + time + ", longer than the expected " + expected;
    const int share = static_cast<int>(100 * seconds / outlook->expected_seconds);
    return "computing " + time + ": about " + std::to_string(share) + " % of the expected " + expected +
           ", " + seconds_text(outlook->expected_seconds - seconds) + " left";
}

}  // namespace cli
}  // namespace tegu
