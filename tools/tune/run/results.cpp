// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/run/results.h"

#include "base/ascii.h"
#include "base/json.h"
#include "tools/tune/table/row_merge.h"

namespace tegu::tune {
namespace {

// Words that occur in every name of a kind and are omitted.
std::string without_marks(std::string name) {
    for (const char* const mark : {"(R)", "(TM)", "(r)", "(tm)", "NVIDIA Jetson ", " CPU", " Processor"})
        for (std::size_t at; (at = name.find(mark)) != std::string::npos;) {
            const bool is_board = std::string(mark).find("NVIDIA Jetson ") == 0;
            name.replace(at, std::string(mark).size(), is_board ? "Jetson " : "");
        }
    return name;
}

void add_summary(const GainSummary& summary, Json& json) {
    json.begin_object().key("classes").integer(std::uint64_t{summary.classes});
    json.key("rows").integer(std::uint64_t{summary.rows});
    json.key("geometric_mean")
        .number(summary.mean)
        .key("geometric_mean_of_rows")
        .number(summary.mean_of_rows);
    json.key("worst").number(summary.worst).key("worst_class").text(summary.worst_id);
    json.key("best").number(summary.best).key("best_class").text(summary.best_id).end_object();
}

void add_finding(const Finding& finding, Json& json) {
    json.begin_object().key("id").text(finding.id);
    if (finding.is_cost()) {
        json.key("points").begin_array();
        for (const CostRow& cost : finding.costs)
            for (const CostPoint& point : cost.points)
                json.begin_array().number(point.elements).number(point.time_us).end_array();
        json.end_array().end_object();
        return;
    }
    json.key("candidates").integer(std::uint64_t{finding.candidates});
    json.key("refused").integer(std::uint64_t{finding.refused});
    json.key("speed").number(finding.speed()).key("worst").number(finding.worst);
    json.key("best_speed_seen").number(finding.best_speed).key("policy").begin_object();
    for (const TuningRow& row : finding.rows)
        for (const TuningValue& value : row.policy)
            value.word.empty() ? json.key(value.name).integer(value.number)
                               : json.key(value.name).text(value.word);
    json.end_object();
    if (!finding.rows.empty()) {
        const TuningEvidence& evidence = finding.rows.front().evidence;
        json.key("time_us").number(evidence.time_us).key("default_us").number(evidence.default_us);
        json.key("noise").number(evidence.noise);
    }
    json.end_object();
}

}  // namespace

std::string table_key(const TuningDevice& device) {
    std::string key;
    for (const char raw : without_marks(device.name)) {
        const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw - 'A' + 'a') : raw;
        const bool is_word = (c >= 'a' && c <= 'z') || is_digit(c);
        if (is_word) key += c;
        if (!is_word && !key.empty() && key.back() != '-') key += '-';
    }
    if (!key.empty() && key.back() == '-') key.pop_back();
    if (key.empty()) key = "unknown";
    return key + "-" +
           std::to_string(device.compute_capability != 0 ? device.multiprocessors : device.cpu_threads);
}

TuningTable table_of(const std::vector<Finding>& findings, const TuningDevice& device,
                     const std::string& path) {
    TuningTable table;
    table.device = device;
    table.key = table_key(device);
    table.path = path;
    for (const Finding& finding : findings) {
        table.rows.insert(table.rows.end(), finding.rows.begin(), finding.rows.end());
        table.costs.insert(table.costs.end(), finding.costs.begin(), finding.costs.end());
    }
    table.rows = merge_rows(std::move(table.rows));
    return table;
}

std::string session_json(const SessionEnd& end, const std::string& machine, const std::string& path) {
    Json json;
    json.begin_object().key("machine").text(machine).key("table").text(path);
    json.key("complete").boolean(end.is_complete()).key("interrupted").boolean(end.interrupted);
    json.key("steps").integer(std::uint64_t{end.steps}).key("left_out").integer(std::uint64_t{end.left_out});
    json.key("wrong").begin_array();
    for (const std::string& wrong : end.wrong) json.text(wrong);
    json.end_array().key("summary");
    add_summary(summarize(speeds_of(end.findings)), json);
    json.key("findings").begin_array();
    for (const Finding& finding : end.findings) add_finding(finding, json);
    json.end_array().end_object();
    return json.str();
}

}  // namespace tegu::tune
