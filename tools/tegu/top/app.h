// SPDX-License-Identifier: Apache-2.0
// `tegu top` without a terminal or daemon: converts samples and keys to frames. Times are seconds of one
// clock.
#pragma once

#include <optional>

#include "tools/tegu/top/layout.h"

namespace tegu {
namespace cli {
namespace top {

// The daemon's answer, or why there is none.
struct Sample {
    double time = 0;
    Expected<View> view;
};

class App {
  public:
    App(const Order& order, double interval);

    void add(Sample sample);
    // False: the user quits.
    bool press(int key, const Screen& screen);

    double interval() const { return choice_.interval; }
    // REQUIRES: a view was added.
    Grid frame(const Screen& screen, double time, double unix_seconds) const;

  private:
    // What is on the screen.
    struct Shown {
        View view;
        History history;
    };
    void note_answer(double time, bool restarted);
    bool press_in_table(int key, const Screen& screen);
    void scroll(int rows, const Screen& screen);

    Choice choice_;
    Shown newest_, paused_;
    const Shown& shown() const { return choice_.paused ? paused_ : newest_; }

    bool has_view_ = false;
    double view_time_ = 0;  // of the newest view
    double notice_until_ = 0;
    std::string good_news_;  // until then
    std::string failure_;    // of the newest sample; empty: it was a view
};

}  // namespace top
}  // namespace cli
}  // namespace tegu
