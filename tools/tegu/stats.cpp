// SPDX-License-Identifier: Apache-2.0
// tegu stats: the daemon's counters, once or again and again with what each grew by in a second; those of operations as a table of
// their own. --json has every field by its name.
#include <chrono>
#include <memory>
#include <thread>

#include "tools/tegu/command.h"
#include "tools/tegu/fields.h"
#include "tools/tegu/operation_stats.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"
#include "tools/tegu/terminal.h"

namespace tegu {
namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    CommonOptions common;
    bool watch = false;
    double interval = 1;
    std::uint64_t count = 0;  // 0: until interrupted
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
    Table table(options.watch ? "lrr" : "lr");
    if (options.watch) table.heading({"counter", "value", "per second"});
    const std::vector<std::string> stems = operation_stems(reading.fields);
    for (const client::Field& field : reading.fields) {
        if (is_of_operation(field.name, stems)) continue;
        std::vector<std::string> cells = {field.name, field_text(field)};
        if (options.watch) cells.push_back(growth_text(field, previous, previous.fields.empty() ? 0 : seconds));
        table.row(std::move(cells));
    }
    const bool colour = stdout_has_colour();
    std::string text = table.text(colour);
    const std::string operations = operations_table(reading.fields, previous.fields, seconds);
    if (!operations.empty()) text += "\n" + operations;
    // A terminal shows one page that changes; a file gets one page after another.
    if (options.watch) text = colour ? "\033[H\033[J" + text : text + "\n";
    return print(text);
}

Expected<void> run(const Options& options) {
    guard_timeout(options.common, "stats");
    Expected<client::Client> client = connect(options.common);
    if (!client) return client.error();
    if (options.watch) catch_interrupt();
    Reading previous;
    for (std::uint64_t i = 0; !interrupted();) {
        guard_timeout(options.common, "stats");
        Expected<std::vector<client::Field>> fields = client->stats();
        if (!fields) return fields.error();
        arm_timeout(0, "", "");
        Reading reading{Clock::now(), std::move(*fields)};
        Expected<void> shown = show(options, reading, previous);
        if (!shown || !options.watch || ++i == options.count) return shown;
        previous = std::move(reading);
        const Clock::time_point next = previous.time + std::chrono::duration_cast<Clock::duration>(
                                                           std::chrono::duration<double>(options.interval));
        while (Clock::now() < next && !interrupted())
            std::this_thread::sleep_for(std::min<Clock::duration>(next - Clock::now(), std::chrono::milliseconds(50)));
    }
    return {};
}

}  // namespace

Action setup_stats(CommandLine& line) {
    auto options = std::make_shared<Options>();
    line.flag("-w,--watch", options->watch, "Again and again, until interrupted; with --json one object a line");
    line.seconds("-i,--interval", options->interval, "Seconds between two readings [1]", 0.01);
    line.count("-c,--count", options->count, "Stop watching after this many readings", 1);
    add_common_options(line, options->common, kControlTimeout);
    return [options] { return run(*options); };
}

}  // namespace cli
}  // namespace tegu
