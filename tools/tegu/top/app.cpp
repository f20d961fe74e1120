// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/top/app.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/tegu/top/key.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

constexpr std::size_t kHistory = 512;  // the widest history that is drawn
constexpr double kNoticeSeconds = 5;
constexpr double kPatience = 2;  // beyond the interval, before a missing answer is said to be missing
constexpr double kIntervals[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60};

void push(std::deque<Number>& values, Number value) {
    values.push_back(value);
    if (values.size() > kHistory) values.pop_front();
}

Number pid_of(const View& view) {
    return view.daemon ? view.daemon->pid : Number();
}

}  // namespace

App::App(const Order& order, double interval) {
    choice_.order = order;
    choice_.interval = interval;
}

void App::note_answer(double time, bool restarted) {
    if (failure_.empty() && !restarted) return;
    good_news_ = restarted ? "the daemon was restarted" : "the daemon answers again";
    if (!failure_.empty()) good_news_ += ", after " + span_text(time - view_time_);
    notice_until_ = time + kNoticeSeconds;
    failure_.clear();
}

void App::add(Sample sample) {
    if (!sample.view) {
        failure_ =
            sample.view.error().message.empty() ? word_of(sample.view.error()) : sample.view.error().message;
        push(newest_.history.gpu_share, {});
        push(newest_.history.jobs_per_second, {});
        return;
    }
    View& view = *sample.view;
    if (has_view_) {
        add_rates(view, newest_.view, sample.time - view_time_);
        note_answer(sample.time,
                    pid_of(view) && pid_of(newest_.view) && pid_of(view) != pid_of(newest_.view));
    }
    if (view.daemon) hide_gone(view.daemon->clients);
    push(newest_.history.gpu_share, gpu_share(view));
    push(newest_.history.jobs_per_second, view.daemon ? view.daemon->jobs_per_second : Number());
    newest_.view = std::move(view);
    view_time_ = sample.time;
    has_view_ = true;
}

void App::scroll(int rows, const Screen& screen) {
    const std::optional<Daemon>& daemon = shown().view.daemon;
    const std::size_t count = !daemon ? 0 : choice_.users ? daemon->users.size() : daemon->clients.size();
    const int last = static_cast<int>(count) - table_rows(shown().view, shown().history, choice_, screen);
    choice_.first = std::max(std::min(choice_.first + rows, last), 0);
}

bool App::press_in_table(int key, const Screen& screen) {
    const int page = std::max(table_rows(shown().view, shown().history, choice_, screen), 1);
    constexpr int kAll = 1 << 20;
    switch (key) {
        case kKeyUp: scroll(-1, screen); return true;
        case kKeyDown: scroll(1, screen); return true;
        case kKeyPageUp: scroll(-page, screen); return true;
        case kKeyPageDown: scroll(page, screen); return true;
        case kKeyHome: scroll(-kAll, screen); return true;
        case kKeyEnd: scroll(kAll, screen); return true;
        default: break;
    }
    const auto sort_by = [&](Column column) {
        choice_.order = Order{column, choice_.order.column == column && !choice_.order.reverse};
    };
    const std::vector<Column> columns = columns_for(screen.width, choice_.users);
    switch (key) {
        case 's':
        case kKeyRight:
            choice_.order = Order{next_column(choice_.order.column, 1, columns), false};
            return true;
        case 'S':
        case kKeyLeft:
            choice_.order = Order{next_column(choice_.order.column, -1, columns), false};
            return true;
        case 'r': choice_.order.reverse = !choice_.order.reverse; return true;
        case 'P': sort_by(Column::Pid); return true;
        case 'N': sort_by(Column::Name); return true;
        case 'M': sort_by(Column::Memory); return true;
        case 'G': sort_by(Column::Gpu); return true;
        case 'C': sort_by(Column::Cpu); return true;
        case 'J': sort_by(Column::Rate); return true;
        default: return false;
    }
}

bool App::press(int key, const Screen& screen) {
    constexpr int kEscape = 27, kInterrupt = 3;
    if (key == kInterrupt) return false;
    if (choice_.help) {
        choice_.help = false;
        return true;
    }
    if (press_in_table(key, screen)) return true;
    const auto step = std::lower_bound(std::begin(kIntervals), std::end(kIntervals), choice_.interval);
    switch (key) {
        case 'q':
        case 'Q':
        case kEscape: return false;
        case 'h':
        case '?':
        case kKeyHelp: choice_.help = true; break;
        case 'p':
        case ' ':
            if (!choice_.paused) paused_ = newest_;
            choice_.paused = !choice_.paused;
            break;
        case 'u':
        case '\t':
            choice_.users = !choice_.users;
            choice_.first = 0;
            break;
        case '+':
        case '=': {
            const auto longer =
                std::upper_bound(std::begin(kIntervals), std::end(kIntervals), choice_.interval);
            if (longer != std::end(kIntervals)) choice_.interval = *longer;
            break;
        }
        case '-':
            if (step != std::begin(kIntervals)) choice_.interval = *(step - 1);
            break;
        default: break;
    }
    return true;
}

Grid App::frame(const Screen& screen, double time, double unix_seconds) const {
    Choice choice = choice_;
    if (!failure_.empty())
        choice.notice = "trying again for " + span_text(time - view_time_) + ": " + failure_;
    else if (time - view_time_ > choice.interval + kPatience)
        choice.notice = "the daemon has not answered for " + span_text(time - view_time_);
    choice.lost = !choice.notice.empty();
    if (choice.notice.empty() && time < notice_until_) choice.notice = good_news_;
    const Shown& what = shown();
    // Rows may have become fewer since the table was scrolled.
    const std::size_t count = !what.view.daemon ? 0
                              : choice.users    ? what.view.daemon->users.size()
                                                : what.view.daemon->clients.size();
    const int last = static_cast<int>(count) - table_rows(what.view, what.history, choice, screen);
    choice.first = std::max(std::min(choice.first, last), 0);
    return lay_out(what.view, what.history, choice, screen, unix_seconds);
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
