// SPDX-License-Identifier: Apache-2.0
#include "tools/field/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace tegu::field {
namespace {

std::size_t columns_of(std::FILE* out) {
    winsize size{};
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string clock_text(double seconds) {
    const long whole = std::lround(std::max(seconds, 0.0));
    char text[32];
    std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
    return text;
}

}  // namespace

std::string seconds_text(double seconds) {
    constexpr struct {
        double below;
        double by;
        const char* unit;
    } kUnits[] = {{1e-6, 1e9, "ns"}, {1e-3, 1e6, "us"}, {1, 1e3, "ms"}, {HUGE_VAL, 1, "s"}};
    for (const auto& unit : kUnits) {
        if (seconds >= unit.below * 0.9995) continue;
        const double value = seconds * unit.by;
        char text[32];
        std::snprintf(text, sizeof text, "%.*f %s",
                      value < 9.995   ? 2
                      : value < 99.95 ? 1
                                      : 0,
                      value, unit.unit);
        return text;
    }
    return "?";
}

std::string progress_line(const ProgressState& state, std::size_t columns) {
    char head[96];
    std::snprintf(head, sizeof head, "[%3.0f %%] %s left, %s %zu/%zu",
                  100 * std::min(std::max(state.share, 0.0), 1.0), clock_text(state.seconds_left).c_str(),
                  state.part.c_str(), state.done, state.cases);
    std::string line = std::string(head) + (state.last.empty() ? "" : "  " + state.last);
    if (line.size() >= columns) line.resize(columns - 1);
    return line;
}

Progress::Progress(std::FILE* out) : out_(out), terminal_(out != nullptr && isatty(fileno(out)) == 1) {}

Progress::~Progress() {
    clear();
}

void Progress::clear() {
    if (!drawn_) return;
    std::fputs("\r\x1b[K", out_);
    std::fflush(out_);
    drawn_ = false;
}

void Progress::begin_part(const std::string& title, std::size_t cases) {
    if (out_ == nullptr || terminal_) return;
    std::fprintf(out_, "%s: %zu cases\n", title.c_str(), cases);
    std::fflush(out_);
}

void Progress::show(const ProgressState& state) {
    if (!terminal_) return;
    std::fprintf(out_, "\r\x1b[K%s", progress_line(state, columns_of(out_)).c_str());
    std::fflush(out_);
    drawn_ = true;
}

void Progress::note(const std::string& line) {
    if (out_ == nullptr) return;
    clear();
    std::fprintf(out_, "%s\n", line.c_str());
    std::fflush(out_);
}

}  // namespace tegu::field
