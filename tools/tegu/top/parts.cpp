// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/top/parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "tools/tegu/output/bars.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

int columns_of(const Spans& spans, bool unicode) {
    int columns = 0;
    for (const Span& span : spans) columns += top::columns_of(span.text, unicode);
    return columns;
}

void draw(const Spans& spans, int row, int column, int width, Grid& grid) {
    for (const Span& span : spans) {
        const int used = grid.put(row, column, width, span.text, span.style);
        column += used;
        width -= used;
    }
}

bool is_bare_title(const Lines& lines, std::size_t i) {
    return lines[i].title && (i + 1 == lines.size() || lines[i + 1].title);
}

}  // namespace

void draw_line(const Line& line, int row, int column, int width, Grid& grid) {
    const int right = std::min(columns_of(line.right, grid.unicode()), width);
    draw(line.left, row, column, right == 0 ? width : width - right - 1, grid);
    draw(line.right, row, column + width - right, right, grid);
}

Lines fitting(Lines lines, int height) {
    while (static_cast<int>(lines.size()) > std::max(height, 0)) {
        auto worst = lines.begin();
        for (auto line = lines.begin(); line != lines.end(); ++line)
            if (line->rank >= worst->rank) worst = line;
        lines.erase(worst);
        for (std::size_t i = lines.size(); i-- > 0;)
            if (is_bare_title(lines, i)) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return lines;
}

std::string percent_text(Number share) {
    if (!share) return "    -";
    return format("%3.0f %%", std::min(std::max(*share * 100, 0.0), 999.0));
}

std::string size_text(Number bytes) {
    return bytes ? bytes_text(static_cast<std::uint64_t>(std::max(*bytes, 0.0))) : "-";
}

std::string part_text(Number bytes, Number of_bytes) {
    if (!bytes || !of_bytes) return "-";
    const std::string whole = size_text(of_bytes);
    // In the unit of the whole.
    double unit = 1;
    for (const char* name : {"KiB", "MiB", "GiB", "TiB"}) {
        unit *= 1024;
        if (whole.find(name) != std::string::npos) return format("%.1f", *bytes / unit) + " of " + whole;
    }
    return format("%.0f", *bytes) + " of " + whole;
}

std::string fixed_text(Number value, int digits) {
    if (!value) return "-";
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, *value);
    return text;
}

std::string seconds_text(Number seconds) {
    return seconds ? duration_text(*seconds * 1e9) : "-";
}

std::string span_text(Number seconds) {
    if (!seconds) return "-";
    const auto whole = static_cast<std::int64_t>(std::max(*seconds, 0.0));
    const auto text = [](std::int64_t number, const char* unit) {
        return std::to_string(number) + " " + unit;
    };
    if (whole < 60) return text(whole, "s");
    if (whole < 3600) return text(whole / 60, "min ") + text(whole % 60, "s");
    if (whole < 86400) return text(whole / 3600, "h ") + text(whole / 60 % 60, "min");
    return text(whole / 86400, "d ") + text(whole / 3600 % 24, "h");
}

std::string count_text(Number count) {
    if (!count) return "-";
    const double size = std::fabs(*count);
    if (size < 9.95 && size != std::floor(size)) return format("%.1f", *count);
    if (size < 9999.5) return format("%.0f", *count);
    double value = *count;
    for (const char* unit : {"k", "M", "G"}) {
        value /= 1000;
        if (std::fabs(value) < 999.5) return format("%.3g", value) + unit;
    }
    return format("%.3g", *count);
}

std::string celsius_text(Number celsius, bool unicode) {
    return fixed_text(celsius, 1) + (celsius ? unicode ? " °C" : " C" : "");
}

std::string padded(std::string text, int columns, bool unicode) {
    const int missing = columns - top::columns_of(text, unicode);
    return missing > 0 ? text + std::string(static_cast<std::size_t>(missing), ' ') : text;
}

std::string flushed(std::string text, int columns, bool unicode) {
    const int missing = columns - top::columns_of(text, unicode);
    return missing > 0 ? std::string(static_cast<std::size_t>(missing), ' ') + text : text;
}

Spans meter(Number share, int width, Style style, bool unicode) {
    if (width <= 0) return {};
    const double cells = std::min(std::max(share.value_or(0), 0.0), 1.0) * width;
    int halves = static_cast<int>(std::lround(cells * 2));
    if (share && *share > 0) halves = std::max(halves, 1);
    if (!unicode) halves = (halves + 1) / 2 * 2;
    std::string filled, track;
    for (int i = 0; i < halves / 2; ++i) filled += unicode ? "━" : "#";
    if (halves % 2 != 0) filled += "╸";
    for (int i = (halves + 1) / 2; i < width; ++i) track += unicode ? "─" : "-";
    return {{filled, style}, {track, Style::Track}};
}

std::string history_text(const std::deque<Number>& values, int width, double max, bool unicode) {
    std::string text;
    const auto count = std::min(values.size(), static_cast<std::size_t>(std::max(width, 0)));
    for (auto value = values.end() - static_cast<std::ptrdiff_t>(count); value != values.end(); ++value)
        text += *value && max > 0 ? column_text(**value / max, unicode) : " ";
    return flushed(text, width, unicode);
}

void append(Spans& spans, Spans more) {
    spans.insert(spans.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
