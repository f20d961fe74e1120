// SPDX-License-Identifier: Apache-2.0
// The parts of the screen of `tegu top`: numbers as short texts of a fixed shape, meters, histories, and
// lines with a weight. A small screen keeps the lines of the greatest weight.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "tools/tegu/top/grid.h"
#include "tools/tegu/top/view.h"

namespace tegu {
namespace cli {
namespace top {

struct Span {
    std::string text;
    Style style = Style::Plain;
};
using Spans = std::vector<Span>;

// `right` stands flush right and is never cut before `left` is.
struct Line {
    Spans left, right;
    int rank = 1;        // 1 matters most: a small screen drops the lines of the highest rank first
    bool title = false;  // dropped with the last line of its group
};
using Lines = std::vector<Line>;

void draw_line(const Line& line, int row, int column, int width, Grid& grid);

// What fits into `height`, in order.
Lines fitting(Lines lines, int height);

// Where lines are to be: their width, and whether they may use more than ASCII.
struct Place {
    int width = 0;
    bool unicode = false;
    bool roomy = false;  // height is no matter
};

// Texts for what is not known: "-".
std::string percent_text(Number share);                  // " 62 %", five columns
std::string size_text(Number bytes);                     // "9.1 GiB"
std::string part_text(Number bytes, Number of_bytes);    // "9.1 of 29.8 GiB"
std::string fixed_text(Number value, int digits);        // "44.5"
std::string seconds_text(Number seconds);                // "1.27 ms"
std::string span_text(Number seconds);                   // "3 d 4 h": of time, the two largest units
std::string count_text(Number count);                    // "812", "12.3k", "4.56M"
std::string celsius_text(Number celsius, bool unicode);  // "46.0 °C"
std::string padded(std::string text, int columns, bool unicode);
std::string flushed(std::string text, int columns, bool unicode);

// A bar of exactly `width` columns: what is, then what is not. Unknown is all track.
Spans meter(Number share, int width, Style style, bool unicode);

// The last values, one column each, the newest at the right; `max` is a full column. Values that are not
// known are blank.
std::string history_text(const std::deque<Number>& values, int width, double max, bool unicode);

void append(Spans& spans, Spans more);

}  // namespace top
}  // namespace cli
}  // namespace tegu
