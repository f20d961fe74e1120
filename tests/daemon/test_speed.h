// SPDX-License-Identifier: Apache-2.0
// How much slower than they are the parts of guard_tegud are to seem: $TEGU_TEST_SPEED is "device 20", "cpu 20" or both, or names a file that says so and
// may change while the daemon runs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace tegu::test {

// 1 without the variable, the file or the part in it.
inline unsigned slowness(const std::string& part) {
    static const char* const speed = std::getenv("TEGU_TEST_SPEED");
    if (speed == nullptr || *speed == '\0') return 1;
    std::string text = speed, word;
    if (*speed == '/') std::getline(std::ifstream(speed), text);
    std::istringstream words(text);
    for (unsigned times = 1; words >> word >> times;)
        if (word == part) return std::max(times, 1u);
    return 1;
}

// Measures from its construction on, and then waits as long as the rest would take.
class SlowDown {
  public:
    explicit SlowDown(unsigned times) : times_(times) {}
    // False: `is_over` said so meanwhile.
    template <class IsOver>
    bool wait(const IsOver& is_over) const {
        const auto end = Clock::now() + (times_ - 1) * (Clock::now() - begin_);
        for (Clock::duration left = end - Clock::now(); left > Clock::duration::zero(); left = end - Clock::now()) {
            if (is_over()) return false;
            if (left > kSpun) std::this_thread::sleep_for(std::min<Clock::duration>(left - kSpun, kStep));
        }
        return true;
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::microseconds kSpun{200},
        kStep{5000};  // the end of it is not slept: a sleep takes longer
    const unsigned times_;
    const Clock::time_point begin_ = Clock::now();
};

}  // namespace tegu::test
