// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/table/summary.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "tools/tune/measure/statistics.h"

namespace tegu::tune {
namespace {

std::string line_of(const std::string& name, const GainSummary& summary) {
    char text[256];
    std::snprintf(text, sizeof text, "%-12s %7zu %6zu %8.3f %8.3f %8.3f  %s\n", name.c_str(), summary.classes,
                  summary.rows, summary.mean, summary.worst, summary.best, summary.best_id.c_str());
    return text;
}

}  // namespace

GainSummary summarize(const std::vector<ClassSpeed>& speeds) {
    GainSummary summary;
    std::vector<double> all, of_rows;
    for (const ClassSpeed& one : speeds) {
        ++summary.classes;
        all.push_back(one.has_row ? one.speed : 1);
        if (!one.has_row) continue;
        ++summary.rows;
        of_rows.push_back(one.speed);
        if (summary.worst_id.empty() || one.worst < summary.worst) {
            summary.worst = one.worst;
            summary.worst_id = one.id;
        }
        if (summary.best_id.empty() || one.speed > summary.best) {
            summary.best = one.speed;
            summary.best_id = one.id;
        }
    }
    summary.mean = geometric_mean(all);
    summary.mean_of_rows = geometric_mean(of_rows);
    // A class without a row runs as before.
    if (summary.rows < summary.classes) summary.worst = std::min(summary.worst, 1.0);
    return summary;
}

std::vector<ClassSpeed> speeds_of(const std::vector<Finding>& findings) {
    std::vector<ClassSpeed> speeds;
    for (const Finding& finding : findings) {
        if (finding.is_cost()) continue;
        const std::size_t slash = finding.id.find('/') + 1;
        ClassSpeed one;
        one.id = finding.id;
        one.operation =
            finding.id.substr(0, slash) + finding.id.substr(slash, finding.id.find('-', slash) - slash);
        one.has_row = !finding.rows.empty();
        one.speed = finding.speed();
        one.worst = finding.worst;
        speeds.push_back(std::move(one));
    }
    return speeds;
}

std::string summary_text(const std::vector<ClassSpeed>& speeds) {
    std::map<std::string, std::vector<ClassSpeed>> by_operation;
    for (const ClassSpeed& one : speeds) by_operation[one.operation].push_back(one);
    std::string text = "default time over tuned time: geometric mean of all classes, worst job, best class\n";
    char head[128];
    std::snprintf(head, sizeof head, "%-12s %7s %6s %8s %8s %8s\n", "", "classes", "rows", "mean", "worst",
                  "best");
    text += head;
    for (const auto& entry : by_operation) text += line_of(entry.first, summarize(entry.second));
    return text + line_of("all", summarize(speeds));
}

}  // namespace tegu::tune
