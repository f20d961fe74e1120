// SPDX-License-Identifier: Apache-2.0
// A record is a line of numbers, as a comment of TOML, and a table that holds the row or the cost.
#include "tools/tune/table/finding.h"

#include <cinttypes>
#include <cstdio>

#include "config/tuning_load.h"
#include "config/tuning_write.h"
#include "tools/tune/measure/policy_text.h"

namespace tegu::tune {
namespace {

constexpr char kNumbers[] = "# candidates=%u refused=%u best_speed=%lf worst=%lf revision=%u\n";
constexpr int kMinNumbers = 4;  // records of before have no revision

std::string first_reason(const config::LoadedTuning& loaded) {
    return loaded.ignored.empty() ? "it has no table" : ignored_text(loaded.ignored.front());
}

std::string row_text(const Finding& finding, const TuningRow& row) {
    char text[128];
    const TuningEvidence& evidence = row.evidence;
    std::snprintf(text, sizeof text, " (%.1f us, default %.1f us, noise %.1f %%, %s policies)",
                  evidence.time_us, evidence.default_us, 100 * evidence.noise,
                  std::to_string(finding.candidates).c_str());
    char share[32];
    std::snprintf(share, sizeof share, ": -%.1f %% with ",
                  100 * (1 - evidence.time_us / evidence.default_us));
    return finding.id + share + changes_text(row.policy) + text;
}

}  // namespace

std::string finding_line(const Finding& finding) {
    if (!finding.costs.empty())
        return finding.id + ": the time of " + std::to_string(finding.costs.front().points.size()) + " sizes";
    if (!finding.rows.empty()) return row_text(finding, finding.rows.front());
    char text[96];
    std::snprintf(text, sizeof text, ": the default stays (best of %u others %+.1f %%)",
                  finding.candidates > 0 ? finding.candidates - 1 : 0, 100 * (1 / finding.best_speed - 1));
    return finding.id + text;
}

double Finding::speed() const {
    if (rows.empty() || rows.front().evidence.time_us <= 0) return 1;
    return rows.front().evidence.default_us / rows.front().evidence.time_us;
}

std::string finding_text(const Finding& finding) {
    char numbers[192];
    std::snprintf(numbers, sizeof numbers,
                  "# candidates=%u refused=%u best_speed=%.9g worst=%.9g revision=%u\n", finding.candidates,
                  finding.refused, finding.best_speed, finding.worst, finding.revision);
    TuningTable table;
    table.rows = finding.rows;
    table.costs = finding.costs;
    return numbers + config::tuning_toml(table);
}

Result<Finding> parse_finding(const std::string& id, const std::string& text) {
    Finding finding;
    finding.id = id;
    if (std::sscanf(text.c_str(), kNumbers, &finding.candidates, &finding.refused, &finding.best_speed,
                    &finding.worst, &finding.revision) < kMinNumbers)
        return make_error(Status::BadRequest, "record " + id + ": its first line has not the four numbers");
    config::LoadedTuning loaded = config::parse_tuning(text, id, "journal");
    if (!loaded.table || !loaded.ignored.empty())
        return make_error(Status::BadRequest, "record " + id + ": " + first_reason(loaded));
    finding.rows = std::move(loaded.table->rows);
    finding.costs = std::move(loaded.table->costs);
    return finding;
}

}  // namespace tegu::tune
