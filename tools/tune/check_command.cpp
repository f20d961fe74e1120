// SPDX-License-Identifier: Apache-2.0
// tegu-tune check FILE: measures the gain of a table on this machine.
#include <cstdio>

#include "base/json.h"
#include "tools/tune/commands.h"
#include "tools/tune/measure/interrupts.h"
#include "tools/tune/measuring.h"
#include "tools/tune/run/progress.h"
#include "tools/tune/run/table_check.h"
#include "tools/tune/tables.h"

namespace tegu::tune {
namespace {

std::string json_of(const CheckEnd& end, const std::string& machine, const std::string& path) {
    const GainSummary summary = summarize(end.speeds);
    Json json;
    json.begin_object().key("machine").text(machine).key("table").text(path);
    json.key("classes")
        .integer(std::uint64_t{summary.classes})
        .key("rows")
        .integer(std::uint64_t{summary.rows});
    json.key("geometric_mean").number(summary.mean).key("worst").number(summary.worst);
    json.key("worst_class").text(summary.worst_id).key("left_out").integer(std::uint64_t{end.left_out});
    json.key("interrupted").boolean(end.interrupted).key("wrong").begin_array();
    for (const std::string& wrong : end.wrong) json.text(wrong);
    json.end_array().key("speeds").begin_array();
    for (const ClassSpeed& one : end.speeds) {
        json.begin_object().key("id").text(one.id).key("row").boolean(one.has_row);
        json.key("speed").number(one.speed).key("worst").number(one.worst).end_object();
    }
    json.end_array().end_object();
    return json.str();
}

void print(const CheckEnd& end, const std::string& machine) {
    std::printf("%s\n%s", machine.c_str(), summary_text(end.speeds).c_str());
    for (const ClassSpeed& one : end.speeds)
        if (one.worst < kMinSpeed)
            std::printf("slower: %s, default over tuned %.3f at worst\n", one.id.c_str(), one.worst);
}

// Uses the table for this device, also one of another device: the check shows its value here.
tuning::DeviceTuning as_overlay(TuningTable table, const tuning::TuningMachine& facts) {
    table.device = TuningDevice();
    table.device.compute_capability = facts.has_gpu ? facts.limits.compute_capability : 0;
    return tuning::DeviceTuning(facts, {}, &table);
}

}  // namespace

int check_command(const CheckOptions& options) {
    Progress progress(options.measure.quiet);
    Result<TuningTable> table = load_table(options.table);
    if (!table) return fail(table.error());
    Result<std::unique_ptr<Measuring>> measuring = Measuring::open(options.measure, progress);
    if (!measuring) return fail(measuring.error());
    Machine& machine = (*measuring)->machine();
    const tuning::DeviceTuning tuning = as_overlay(std::move(*table), machine.facts());
    for (const IgnoredRow& ignored : tuning.ignored()) progress.note(ignored_text(ignored));

    WorkWish wish;
    wish.operations = options.measure.operations;
    wish.backends = machine.backends();
    wish.costs = false;
    const Work work(wish, machine.limits(options.measure.max_elements));
    TableCheck check((*measuring)->session_machine(), tuning, (*measuring)->pace(), progress, interrupts());
    Result<CheckEnd> end = check.run(work, options.measure.minutes * 60);
    progress.end();
    if (!end) {
        const int code = fail(end.error());
        return check.wrong().empty() ? code : kBug;
    }
    if (options.measure.json)
        std::printf("%s\n", json_of(*end, machine.text(), options.table).c_str());
    else
        print(*end, machine.text());
    if (!end->wrong.empty()) return kBug;
    if (end->interrupted) return kInterrupted;
    return summarize(end->speeds).worst < kMinSpeed ? kSlower : kDone;
}

}  // namespace tegu::tune
