// SPDX-License-Identifier: Apache-2.0
// Progress: shows the progress of a run: on a terminal one line that is redrawn, elsewhere a line for each
// part. Notes stay as lines.
#pragma once

#include <cstdio>
#include <string>

namespace tegu::field {

struct ProgressState {
    double share = 0;  // of the time allowed, 0..1
    double seconds_left = 0;
    std::string part;
    std::size_t done = 0, cases = 0;  // of the part
    std::string last;                 // "reduce f32 1e7 sum cuda: 34.8 us +-0.4 %"
};

class Progress {
  public:
    // `out`: where to; null: nowhere.
    explicit Progress(std::FILE* out);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void begin_part(const std::string& title, std::size_t cases);
    void show(const ProgressState& state);
    void note(const std::string& line);

  private:
    void clear();
    std::FILE* out_;
    bool terminal_ = false;
    bool drawn_ = false;
};

// "34.8 us", "1.25 s": three digits.
std::string seconds_text(double seconds);
// The line that show() draws, within `columns`.
std::string progress_line(const ProgressState& state, std::size_t columns);

}  // namespace tegu::field
