// SPDX-License-Identifier: Apache-2.0
// The board's part of the screen. Loads have one neutral colour, because a high load is normal. Green, yellow
// and red show the distance to a limit: throttling, memory, the limit of a rail.
#include <algorithm>

#include "tools/tegu/output/bars.h"
#include "tools/tegu/top/blocks.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

constexpr int kLabel = 6;              // columns of a label before a meter
constexpr int kValue = 20;             // columns of a value after it
constexpr std::size_t kFewCores = 12;  // up to here, less one, each has a bar of its own
constexpr std::size_t kMaxColumns = 256;

// Distances to throttling: the daemon calls less than 5 C near.
constexpr double kNearCelsius = 5, kWarmCelsius = 15;
constexpr double kColdCelsius = 20;  // the empty bar

Line metered(const std::string& label, Number share, Style style, const std::string& value, int rank,
             const Place& place) {
    Line line;
    line.rank = rank;
    line.left.push_back({padded(label, kLabel, place.unicode), Style::Label});
    append(line.left, meter(share, place.width - kLabel - kValue - 1, style, place.unicode));
    line.right.push_back({padded(value, kValue, place.unicode)});
    return line;
}

std::string load_text(const Load& load) {
    std::string text = percent_text(load.share);
    if (!load.clock_hz) return text;
    text += "  " + fixed_text(*load.clock_hz / 1e6, 0);
    if (load.max_hz) text += "/" + fixed_text(*load.max_hz / 1e6, 0);
    return text + " MHz";
}

Style share_style(Number share, double warn, double bad) {
    if (!share) return Style::Label;
    return *share >= bad ? Style::Bad : *share >= warn ? Style::Warn : Style::Good;
}

Number used_share(Number bytes, Number available) {
    if (!bytes || !available || *bytes <= 0) return {};
    return 1 - *available / *bytes;
}

Number difference(Number a, Number b) {
    return a && b ? Number(*a - *b) : Number();
}

// A bar for each core, as many beside one another as have place.
void add_core_bars(const Board& board, const Place& place, Lines& lines) {
    const int least = 16;
    const int beside = std::max(1, (place.width - kLabel + 2) / least);
    const int width = (place.width - kLabel + 2) / beside;
    for (std::size_t i = 0; i < board.cores.size(); ++i) {
        if (i % static_cast<std::size_t>(beside) == 0) {
            lines.push_back({{{std::string(kLabel, ' ')}}, {}, 3});
        }
        const Core& core = board.cores[i];
        Spans& spans = lines.back().left;
        if (i % static_cast<std::size_t>(beside) != 0) spans.push_back({"  "});
        spans.push_back({flushed(fixed_text(core.index, 0), 2, place.unicode) + " ", Style::Label});
        append(spans, meter(core.share, width - 10, Style::Meter, place.unicode));
        spans.push_back({percent_text(core.share)});
    }
}

// A column for each core; neighbours share one, as high as the busiest, where there are too many.
Line core_columns(const Board& board, const Place& place) {
    Line line;
    line.rank = 3;
    line.left.push_back({padded("cores", kLabel, place.unicode), Style::Label});
    const auto columns = static_cast<std::size_t>(std::max(place.width - kLabel, 1));
    const std::size_t group =
        static_cast<std::size_t>(group_size(board.cores.size(), std::min(columns, kMaxColumns)));
    const bool spaced = 2 * board.cores.size() <= columns;
    std::string text;
    for (std::size_t i = 0; i < board.cores.size(); i += group) {
        Number max_share;
        for (std::size_t core = i; core < std::min(i + group, board.cores.size()); ++core)
            if (board.cores[core].share)
                max_share = std::max(max_share.value_or(0), *board.cores[core].share);
        text += max_share ? column_text(std::max(*max_share, 0.01), place.unicode) : "?";
        if (spaced) text += " ";
    }
    line.left.push_back({text, Style::Meter});
    return line;
}

void add_cores(const Board& board, const Place& place, Lines& lines) {
    std::string value = load_text(board.cpu);
    lines.push_back(metered("CPU", board.cpu.share, Style::Meter, value, 1, place));
    if (board.cores.empty()) return;
    if (board.cores.size() < kFewCores && place.roomy)
        add_core_bars(board, place, lines);
    else
        lines.push_back(core_columns(board, place));
    if (board.cores_online && board.cores_present && *board.cores_online < *board.cores_present)
        lines.push_back({{{std::string(kLabel, ' ')},
                          {fixed_text(board.cores_online, 0) + " of " + fixed_text(board.cores_present, 0) +
                               " cores online",
                           Style::Label}},
                         {},
                         5});
}

Line zone_line(const Zone& zone, bool first, const Place& place) {
    Line line;
    line.rank = first ? 1 : zone.margin_celsius ? 3 : zone.celsius ? 5 : 6;
    const Number margin = zone.margin_celsius;
    const Style style = !margin                  ? Style::Label
                        : *margin < kNearCelsius ? Style::Bad
                        : *margin < kWarmCelsius ? Style::Warn
                                                 : Style::Good;
    const int name = std::min(14, place.width * 2 / 5), value = 9, distance = 7;
    const std::string shown = padded(zone.name, name, place.unicode);
    Grid cut(name, 1, place.unicode);  // a long name loses its end, not its column
    cut.put(0, 0, name, zone.name, Style::Plain);
    line.left.push_back({padded(cut.runs(0).front().text, name, place.unicode) + " ", Style::Label});
    line.left.push_back({flushed(celsius_text(zone.celsius, place.unicode), value, place.unicode) + " "});
    const int width = place.width - name - 1 - value - 1 - distance;
    if (margin && zone.celsius && zone.throttles_at_celsius)
        append(line.left, meter((*zone.celsius - kColdCelsius) / (*zone.throttles_at_celsius - kColdCelsius),
                                width, style, place.unicode));
    line.right.push_back({margin ? fixed_text(margin, 1) : "", style});
    return line;
}

}  // namespace

Lines load_lines(const View& view, const History& history, const Place& place) {
    const Board& board = view.board;
    Lines lines;
    lines.push_back(metered("GPU", gpu_share(view), Style::Meter,
                            load_text({gpu_share(view), board.gpu.clock_hz, board.gpu.max_hz}), 1, place));
    lines.push_back(
        {{{std::string(kLabel, ' ')},
          {history_text(history.gpu_share, place.width - kLabel, 1, place.unicode), Style::Meter}},
         {},
         4});
    lines.push_back(metered("EMC", board.emc.share, Style::Meter, load_text(board.emc), 4, place));
    add_cores(board, place, lines);
    const Number memory = used_share(board.memory_bytes, board.memory_available_bytes);
    lines.push_back(
        metered("Mem", memory, share_style(memory, 0.8, 0.9),
                part_text(difference(board.memory_bytes, board.memory_available_bytes), board.memory_bytes),
                1, place));
    const Number swap = used_share(board.swap_bytes, board.swap_free_bytes);
    const bool has_swap = board.swap_bytes.value_or(1) > 0;
    lines.push_back(metered(
        "Swap", swap, share_style(swap, 0.5, 0.9),
        has_swap ? part_text(difference(board.swap_bytes, board.swap_free_bytes), board.swap_bytes) : "none",
        4, place));
    return lines;
}

Lines thermal_lines(const View& view, const Place& place) {
    Lines lines;
    lines.push_back({{{"Temperatures", Style::Title}}, {{"to throttling", Style::Label}}, 2, true});
    for (const Throttle& throttle : view.board.throttles) {
        if (throttle.step.value_or(0) <= 0) continue;
        lines.push_back({{{throttle.name + " lowers clocks", Style::Bad}},
                         {{"step " + fixed_text(throttle.step, 0)}},
                         1});
    }
    for (const Zone& zone : view.board.zones)
        lines.push_back(zone_line(zone, &zone == &view.board.zones.front(), place));
    if (view.board.zones.empty()) lines.push_back({{{"no zone is known", Style::Label}}, {}, 6});
    return lines;
}

Lines power_lines(const View& view, const Place& place) {
    const Board& board = view.board;
    Lines lines;
    Line title;
    title.rank = 2;
    title.left.push_back({"Power", Style::Title});
    if (!board.fans.empty() && board.fans.front().share) {
        title.right.push_back({"fan", Style::Label});
        title.right.push_back({percent_text(board.fans.front().share)});
    }
    title.right.push_back(
        {flushed(fixed_text(board.watts, 2) + (board.watts ? " W" : ""), 10, place.unicode), Style::Strong});
    lines.push_back(std::move(title));
    for (const Rail& rail : board.rails) {
        const Number share = rail.amperes && rail.limit_amperes && *rail.limit_amperes > 0
                                 ? Number(*rail.amperes / *rail.limit_amperes)
                                 : Number();
        const Style style =
            share_style(share, 0.8, 1) == Style::Good ? Style::Plain : share_style(share, 0.8, 1);
        const std::string amperes = fixed_text(rail.amperes, 2) + " A";
        lines.push_back({{{rail.name, Style::Label}},
                         {{amperes, style}, {flushed(fixed_text(rail.watts, 2) + " W", 10, place.unicode)}},
                         4});
    }
    for (const EventCounter& counter : board.events)
        if (counter.per_minute.value_or(0) > 0)
            lines.push_back({{{counter.name, Style::Warn}},
                             {{fixed_text(counter.per_minute, 1) + " events a minute", Style::Warn}},
                             3});
    for (const Fan& fan : board.fans) {
        std::string speed = percent_text(fan.share);
        if (fan.revolutions_per_minute)
            speed += flushed(fixed_text(fan.revolutions_per_minute, 0), 6, place.unicode) + " rpm";
        lines.push_back({{{fan.name, Style::Label}}, {{speed}}, 5});
    }
    lines.push_back(
        {{{"disk", Style::Label}},
         {{part_text(difference(board.disk_bytes, board.disk_available_bytes), board.disk_bytes),
           share_style(used_share(board.disk_bytes, board.disk_available_bytes), 0.95, 0.99) == Style::Good
               ? Style::Plain
               : Style::Warn}},
         6});
    return lines;
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
