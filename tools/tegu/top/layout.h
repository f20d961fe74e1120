// SPDX-License-Identifier: Apache-2.0
// One frame: the view and the user's choices as a grid of the screen's size. Pure, so that tests need no
// terminal. The board is at the left, the daemon at the right, clients are below; a small screen has one
// column and the most important lines.
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

constexpr int kMinWidth = 30, kMinHeight = 8;

Grid lay_out(const View& view, const History& history, const Choice& choice, const Screen& screen,
             double now_unix_seconds);

// How many rows of the table such a frame has, heading excluded: a page.
int table_rows(const View& view, const History& history, const Choice& choice, const Screen& screen);

}  // namespace top
}  // namespace cli
}  // namespace tegu
