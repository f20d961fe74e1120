// SPDX-License-Identifier: Apache-2.0
// One frame: what is known and what the user chose, as a grid of the size of the screen. A pure function, so
// that tests look at frames without a terminal. The board stands at the left, the daemon at the right, the
// clients below; a small screen has one column and the lines that matter most.
#pragma once

#include "tools/tegu/top/blocks.h"
#include "tools/tegu/top/clients.h"

namespace tegu {
namespace cli {
namespace top {

// What the user chose, and what else a frame shows beside the view.
struct Choice {
    Order order;
    bool users = false;  // the table is of users
    bool paused = false;
    bool help = false;
    int first = 0;        // row of the table that is at the top
    double interval = 1;  // seconds
    std::string notice;   // of the connection; empty if there is nothing to say
    bool lost = false;    // the notice is bad news: what is shown is old
};

struct Screen {
    int width = 80;
    int height = 0;  // 0: as high as need be, without the line of keys
    bool unicode = false;
};

constexpr int kLeastWidth = 30, kLeastHeight = 8;

Grid lay_out(const View& view, const History& history, const Choice& choice, const Screen& screen,
             double now_unix_seconds);

// How many rows of the table such a frame has, heading excluded: a page.
int table_rows(const View& view, const History& history, const Choice& choice, const Screen& screen);

}  // namespace top
}  // namespace cli
}  // namespace tegu
