// SPDX-License-Identifier: Apache-2.0
// tegu stats: the daemon's counters, once or repeatedly with rates per second; a separate table for
// operations. --json has every field by its name.
#include <chrono>
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/operation_stats.h"
#include "tools/tegu/output/fields.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"
#include "tools/tegu/watch.h"

namespace tegu {
namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    CommonOptions common;
    WatchOptions watch;
};

struct Reading {
    Clock::time_point time;
    std::vector<client::Field> fields;
};

bool is_counter(const std::string& name) {
    return name.size() > 6 && name.compare(name.size() - 6, 6, "_total") == 0;
}

// Growth of a counter in a second; empty for what is no counter, at the first reading, and after a restart.
std::string growth_text(const client::Field& field, const Reading& previous, double seconds) {
    const auto* now = std::get_if<std::uint64_t>(&field.value);
    if (now == nullptr || !is_counter(field.name) || seconds <= 0) return {};
    for (const client::Field& earlier : previous.fields) {
        if (earlier.name != field.name) continue;
        const auto* before = std::get_if<std::uint64_t>(&earlier.value);
        if (before == nullptr || *before > *now) return {};
        return number_text(static_cast<float>(static_cast<double>(*now - *before) / seconds));
    }
    return {};
}

Expected<void> show(const Options& options, const Reading& reading, const Reading& previous) {
    if (options.common.json) {
        Json json = begin_report("stats");
        json.key("stats");
        add_fields(json, reading.fields);
        return finish_report(json);
    }
    const double seconds = std::chrono::duration<double>(reading.time - previous.time).count();
    Table table(options.watch.watch ? "lrr" : "lr");
    if (options.watch.watch) table.heading({"counter", "value", "per second"});
    const std::vector<std::string> stems = operation_stems(reading.fields);
    for (const client::Field& field : reading.fields) {
        if (is_of_operation(field.name, stems)) continue;
        std::vector<std::string> cells = {field.name, field_text(field)};
        if (options.watch.watch)
            cells.push_back(growth_text(field, previous, previous.fields.empty() ? 0 : seconds));
        table.row(std::move(cells));
    }
    std::string text = table.text(stdout_has_colour());
    const std::string operations = operations_table(reading.fields, previous.fields, seconds);
    if (!operations.empty()) text += "\n" + operations;
    return print(page(options.watch, text));
}

Expected<void> read_and_show(const Options& options, client::Client& client, Reading& previous) {
    Expected<std::vector<client::Field>> fields = client.stats();
    if (!fields) return fields.error();
    arm_timeout(0, "", "");
    Reading reading{Clock::now(), std::move(*fields)};
    Expected<void> shown = show(options, reading, previous);
    previous = std::move(reading);
    return shown;
}

}  // namespace

Action setup_stats(CommandLine& line) {
    auto options = std::make_shared<Options>();
    add_watch_options(line, options->watch);
    add_common_options(line, options->common, kControlTimeout);
    return [options] {
        Reading previous;
        return watch(options->common, options->watch, "stats",
                     [&](client::Client& client) { return read_and_show(*options, client, previous); });
    };
}

}  // namespace cli
}  // namespace tegu
