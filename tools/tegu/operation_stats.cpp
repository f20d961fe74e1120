// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/operation_stats.h"

#include <cmath>

#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

bool begins_with(const std::string& text, const std::string& prefix) {
    return text.compare(0, prefix.size(), prefix) == 0;
}

// The value of a field; 0 if it is missing, as in an older daemon.
double number_of(const std::vector<client::Field>& fields, const std::string& name) {
    for (const client::Field& field : fields) {
        if (field.name != name) continue;
        if (const auto* integer = std::get_if<std::uint64_t>(&field.value))
            return static_cast<double>(*integer);
        if (const auto* number = std::get_if<double>(&field.value)) return *number;
    }
    return 0;
}

std::string count_text(double count) {
    return std::to_string(static_cast<std::uint64_t>(count));
}

std::string percent_text(double share) {
    return std::to_string(static_cast<std::uint64_t>(100 * share + 0.5)) + " %";
}

std::string rounded_text(double rate) {
    return rate < 100 ? short_text(std::round(10 * rate) / 10) : count_text(std::round(rate));
}

std::vector<std::string> row_of(const std::string& stem, const std::vector<client::Field>& fields) {
    const auto of = [&](const char* name) { return number_of(fields, "operation_" + stem + "_" + name); };
    const double jobs = of("jobs_total"), computed_ns = of("compute_ns_total");
    const double bytes = of("bytes_read_total") + of("bytes_written_total");
    // some that are long enough to tell
    const bool has_costs = number_of(fields, "predicted_" + stem + "_jobs_total") > 0;
    return {stem,
            count_text(jobs),
            count_text(jobs - of("ok_total")),
            duration_text(of("queue_ns_total") / jobs),
            duration_text(computed_ns / jobs),
            rate_text(bytes, computed_ns),
            has_costs ? percent_text(number_of(fields, "cost_error_" + stem + "_ratio")) : "-"};
}

}  // namespace

std::vector<std::string> operation_stems(const std::vector<client::Field>& fields) {
    static const std::string kPrefix = "operation_", kSuffix = "_jobs_total";
    std::vector<std::string> stems;
    for (const client::Field& field : fields) {
        const std::string& name = field.name;
        if (!begins_with(name, kPrefix) || name.size() <= kPrefix.size() + kSuffix.size()) continue;
        const std::size_t end = name.size() - kSuffix.size();
        if (name.compare(end, kSuffix.size(), kSuffix) == 0)
            stems.push_back(name.substr(kPrefix.size(), end - kPrefix.size()));
    }
    return stems;
}

bool is_of_operation(const std::string& name, const std::vector<std::string>& stems) {
    for (const std::string& stem : stems) {
        for (const char* prefix :
             {"operation_", "predicted_", "measured_", "cost_error_", "cost_correction_"})
            if (begins_with(name, prefix + stem + "_")) return true;
    }
    return false;
}

std::string operations_table(const std::vector<client::Field>& fields,
                             const std::vector<client::Field>& earlier, double seconds) {
    const bool rates = !earlier.empty() && seconds > 0;
    // Within 80 columns. The times are means; the last is how far predictions of them were off.
    std::vector<std::string> heading = {"operation", "jobs", "failed", "queued",
                                        "computed",  "data", "off by"};
    if (rates) heading.insert(heading.begin() + 2, "per s");
    Table table("l" + std::string(heading.size() - 1, 'r'));
    table.heading(std::move(heading));
    bool any = false;
    for (const std::string& stem : operation_stems(fields)) {
        const std::string jobs = "operation_" + stem + "_jobs_total";
        if (number_of(fields, jobs) == 0) continue;
        any = true;
        std::vector<std::string> cells = row_of(stem, fields);
        const double grown = number_of(fields, jobs) - number_of(earlier, jobs);
        if (rates) cells.insert(cells.begin() + 2, grown < 0 ? "" : rounded_text(grown / seconds));
        table.row(std::move(cells));
    }
    return any ? table.text(stdout_has_colour()) : std::string();
}

}  // namespace cli
}  // namespace tegu
