// SPDX-License-Identifier: Apache-2.0
// Terminal output: colours on stdout, and one progress line on stderr for work over a second. Files and pipes
// get neither, unless --color=always.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tegu {
namespace cli {

// --color and --no-color: one for the process, as its stdout is.
struct ColourWish {
    std::string when = "auto";
    bool none = false;
};
ColourWish& colour_wish();

// Colours and bold text may be written to stdout: as --color says, else to a terminal that is not dumb, with
// NO_COLOR unset or empty.
bool stdout_has_colour();
// stdout is a terminal that can clear its screen.
bool stdout_is_live();
// Its columns; 0 if it is none, or of unknown width.
std::size_t stdout_columns();
// stderr is a terminal that can rewrite a line.
bool stderr_is_live();

// A line on stderr that is rewritten in place, and gone when the object is. Silent for the first second.
class Progress {
  public:
    using Clock = std::chrono::steady_clock;
    Progress() = default;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { clear(); }

    // total 0: not known. At most ten times a second a line is written.
    void bytes(const char* activity, std::uint64_t done, std::uint64_t total);
    // Whether it is time to write another line; if so, the next comes a tenth of a second later.
    bool due();
    void line(const std::string& text);
    void clear();

  private:
    const bool live_ = stderr_is_live();
    const Clock::time_point start_ = Clock::now();
    Clock::time_point next_ = start_ + std::chrono::seconds(1);
    std::size_t width_ = 0;  // of the line that stands there
};

}  // namespace cli
}  // namespace tegu
