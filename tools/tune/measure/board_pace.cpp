// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/board_pace.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tools/board/throttle_reasons.h"

namespace tegu::tune {
BoardPace::BoardPace(std::unique_ptr<board::BoardWatch> watch, std::function<void(const std::string&)> say,
                     const std::atomic<bool>& interrupted, double patience_seconds)
    : watch_(std::move(watch)),
      say_(std::move(say)),
      interrupted_(interrupted),
      patience_seconds_(patience_seconds) {}

std::string BoardPace::slowed_by() {
    if (watch_ == nullptr) return "";
    const std::vector<std::string> throttle = watch_->throttling();
    if (!power_told_ && std::any_of(throttle.begin(), throttle.end(), board::is_standing)) {
        power_told_ = true;
        say_("the limit of power holds the clocks down (" + board::in_words(throttle) +
             "): times are those of this limit");
    }
    return board::in_words(board::passing_reasons(throttle));
}

bool BoardPace::recover(const std::string& why) {
    using Clock = std::chrono::steady_clock;
    say_("slowed down by " + why +
         ": this measurement is thrown away and repeated when the board has recovered");
    const Clock::time_point begin = Clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    for (;;) {
        const double left = patience_seconds_ - seconds();
        const bool rested =
            left > 0 && board::wait_for_full_speed(*watch_, left, [this] { return interrupted_.load(); });
        if (interrupted_) return false;
        const bool quick = rested || slowed_by().empty();
        if (!quick && left > 0) continue;  // a limit of power, beside something that passes
        char text[64];
        std::snprintf(text, sizeof text,
                      quick ? "at full speed again after %.0f s" : "still slow after %.0f s", seconds());
        say_(text);
        return quick;
    }
}

}  // namespace tegu::tune
