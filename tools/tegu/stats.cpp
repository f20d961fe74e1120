// SPDX-License-Identifier: Apache-2.0
// tegu stats: the daemon's counters, once or repeatedly with rates per second; a separate table for
// operations. What is 0 is left out; --json has every field by its name.
#include <chrono>
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/operation_stats.h"
#include "tools/tegu/output/fields.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"
#include "tools/tegu/top/parts.h"
#include "tools/tegu/watch.h"

namespace tegu {
namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

struct StatsOptions {
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

std::string rate_of(const std::string& name, double per_second) {
    if (name.rfind("bytes_", 0) == 0) return bytes_text(static_cast<std::uint64_t>(per_second));
    return top::count_text(per_second);
}

// Growth of a counter in a second; empty for what is no counter, at the first reading, and after a restart.
std::string growth_text(const client::Field& field, const Reading& previous, double seconds) {
    const auto* now = std::get_if<std::uint64_t>(&field.value);
    if (now == nullptr || !is_counter(field.name) || seconds <= 0) return {};
    for (const client::Field& earlier : previous.fields) {
        if (earlier.name != field.name) continue;
        const auto* before = std::get_if<std::uint64_t>(&earlier.value);
        if (before == nullptr || *before > *now) return {};
        return rate_of(field.name, static_cast<double>(*now - *before) / seconds);
    }
    return {};
}

Expected<void> show(const StatsOptions& options, const Reading& reading, const Reading& previous) {
    if (options.common.json) {
        Json json = begin_report("stats");
        json.key("stats");
        add_fields(json, reading.fields);
        return finish_report(json);
    }
    const double seconds = std::chrono::duration<double>(reading.time - previous.time).count();
    const std::vector<std::string> stems = operation_stems(reading.fields);
    std::vector<client::Field> shown;
    std::size_t zeros = 0;
    for (const client::Field& field : reading.fields) {
        if (is_of_operation(field.name, stems)) continue;
        const auto* count = std::get_if<std::uint64_t>(&field.value);
        if (count != nullptr && *count == 0)
            ++zeros;
        else
            shown.push_back(field);
    }
    const std::vector<std::string> columns = options.watch.watch
                                                 ? std::vector<std::string>{"counter", "value", "per second"}
                                                 : std::vector<std::string>();
    std::string text = fields_table(shown, columns, [&](const client::Field& field) {
        return growth_text(field, previous, previous.fields.empty() ? 0 : seconds);
    });
    if (zeros != 0) text += "  and " + std::to_string(zeros) + " that are 0 (--json has all)\n";
    const std::string operations = operations_table(reading.fields, previous.fields, seconds);
    if (!operations.empty()) text += "\n" + operations;
    return print(page(options.watch, text));
}

Expected<void> read_and_show(const StatsOptions& options, client::Client& client, Reading& previous) {
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
    auto options = std::make_shared<StatsOptions>();
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
