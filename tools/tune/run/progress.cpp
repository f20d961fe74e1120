// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/run/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tools/tune/measure/effort.h"

namespace tegu::tune {
namespace {

constexpr std::size_t kUsualWidth = 80;

std::size_t terminal_width() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return kUsualWidth;
    return size.ws_col;
}

std::string count_text(std::size_t count, const char* word) {
    return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

}  // namespace

std::string progress_text(const ProgressState& state, std::size_t width) {
    char share[16];
    const double part =
        state.steps == 0 ? 1 : static_cast<double>(state.done) / static_cast<double>(state.steps);
    std::snprintf(share, sizeof share, "%3.0f %%", 100 * part);
    std::string text = share;
    text += "  " + std::to_string(state.done) + " of " + std::to_string(state.steps);
    text += "  " + count_text(state.rows, "row");
    if (!state.best_id.empty()) {
        char best[32];
        std::snprintf(best, sizeof best, " -%.1f %%", 100 * state.best_share);
        text += ", best " + state.best_id + best;
    }
    text += "  " + seconds_text(std::max(0.0, state.seconds_left)) + " left";
    if (!state.at_work.empty()) text += "  " + state.at_work;
    return text.substr(0, width);
}

void Progress::note(const std::string& line) {
    if (quiet_) return;
    line_.clear();
    std::fprintf(stderr, "tegu-tune: %s\n", line.c_str());
    draw();
}

void Progress::begin(std::size_t steps, std::size_t done, double seconds) {
    state_.steps = steps;
    state_.done = done;
    end_ = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    if (done != 0)
        note("going on where an earlier run stopped: " + std::to_string(done) + " of " +
             std::to_string(steps) + " steps are done");
}

void Progress::draw() {
    if (!live_) return;
    state_.seconds_left = std::chrono::duration<double>(end_ - Clock::now()).count();
    line_.line(progress_text(state_, terminal_width() - 1));
}

void Progress::say_of_step(const std::string& text) {
    if (quiet_) return;
    line_.clear();
    std::fprintf(stderr, "[%zu/%zu] %s\n", state_.done, state_.steps, text.c_str());
}

void Progress::step_begins(const WorkStep& step) {
    state_.at_work = step.id;
    draw();
}

void Progress::step_ends(const WorkStep& step, const StepNews& news) {
    ++state_.done;
    if (news.has_row) ++state_.rows;
    if (news.speed > 1 && 1 - 1 / news.speed > state_.best_share) {
        state_.best_share = 1 - 1 / news.speed;
        state_.best_id = step.id;
    }
    if (!live_ || news.has_row) say_of_step(news.text);
    draw();
}

// Expired time is reported once, at the end.
void Progress::left_out(const WorkStep& step, const std::string& reason) {
    if (reason == kOutOfTime) return;
    if (!live_) say_of_step(step.id + " is left out: " + reason);
    draw();
}

}  // namespace tegu::tune
