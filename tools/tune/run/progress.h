// SPDX-License-Identifier: Apache-2.0
// Progress: the stderr output of a run. On a terminal one line is rewritten, with permanent messages above
// it; elsewhere each step is a line.
#pragma once

#include <chrono>
#include <string>

#include "tools/tegu/output/terminal.h"
#include "tools/tune/run/session.h"

namespace tegu::tune {

// The content of the rewritten line.
struct ProgressState {
    std::size_t steps = 0, done = 0;
    std::size_t rows = 0;
    std::string best_id;    // of the largest gain so far; empty: none
    double best_share = 0;  // of the time that it saves
    double seconds_left = 0;
    std::string at_work;  // the step at hand
};
// " 37 %  92 of 246  18 rows, best cuda/reduce-f32-n1M-s1 -14.2 %  6 min left  cuda/add-f32-n8M", cut to
// `width`.
std::string progress_text(const ProgressState& state, std::size_t width);

class Progress final : public Reporter {
  public:
    explicit Progress(bool quiet) : quiet_(quiet), live_(!quiet && cli::stderr_is_live()) {}

    void note(const std::string& line) override;
    void begin(std::size_t steps, std::size_t done, double seconds) override;
    void step_begins(const WorkStep& step) override;
    void step_ends(const WorkStep& step, const StepNews& news) override;
    void left_out(const WorkStep& step, const std::string& reason) override;
    // Takes the rewritten line away.
    void end() { line_.clear(); }

  private:
    using Clock = std::chrono::steady_clock;
    void draw();
    void say_of_step(const std::string& text);

    const bool quiet_, live_;
    cli::Progress line_;
    ProgressState state_;
    Clock::time_point end_;
};

}  // namespace tegu::tune
