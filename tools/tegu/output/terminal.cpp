// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/output/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

bool is_dumb() {
    const char* kind = std::getenv("TERM");
    return kind == nullptr || std::strcmp(kind, "dumb") == 0;
}

}  // namespace

ColourWish& colour_wish() {
    static ColourWish wish;
    return wish;
}

bool stdout_has_colour() {
    const ColourWish& wish = colour_wish();
    if (wish.none || wish.when == "never") return false;
    if (wish.when == "always") return true;
    const char* no_colour = std::getenv("NO_COLOR");
    return stdout_is_live() && (no_colour == nullptr || *no_colour == '\0');
}

bool stdout_is_live() {
    return isatty(STDOUT_FILENO) != 0 && !is_dumb();
}

std::size_t stdout_columns() {
    winsize size;
    std::memset(&size, 0, sizeof size);
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool stderr_is_live() {
    return isatty(STDERR_FILENO) != 0 && !is_dumb();
}

bool Progress::due() {
    if (!live_) return false;
    const Clock::time_point now = Clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(100);
    return true;
}

void Progress::bytes(const char* activity, std::uint64_t done, std::uint64_t total) {
    if (!due()) return;
    const auto elapsed = std::chrono::duration<double, std::nano>(Clock::now() - start_).count();
    std::string text = std::string(activity) + " " + bytes_text(done);
    if (total != 0) {
        text +=
            " of " + bytes_text(total) + " (" +
            std::to_string(static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total))) +
            " %)";
    }
    line(text + ", " + rate_text(static_cast<double>(done), elapsed));
}

// Blanks, not an escape sequence, overwrite a longer previous line.
void Progress::line(const std::string& text) {
    if (!live_) return;
    const std::size_t wipe = width_ > text.size() ? width_ - text.size() : 0;
    std::fprintf(stderr, "\r%s%*s", text.c_str(), static_cast<int>(wipe), "");
    std::fflush(stderr);
    width_ = text.size();
}

void Progress::clear() {
    if (width_ == 0) return;
    std::fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
    std::fflush(stderr);
    width_ = 0;
}

}  // namespace cli
}  // namespace tegu
