// SPDX-License-Identifier: Apache-2.0
// WatchdogJudge: whether the daemon may say that it lives. Told once a turn, several times within the
// interval of the watchdog, which parts gave a sign of life; one that gave none is asked for it, and as long
// as it owes the answer nobody is told that all is well. It counts turns, not time: where the whole process
// stood still (a debugger, SIGSTOP, a board that starves it) no part is blamed for that. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tegu::daemon {

class WatchdogJudge {
  public:
    static constexpr unsigned kTurns = 4;  // in the interval
    // So a part hangs that gave no sign of life for the whole interval, three quarters of it after it was
    // asked for one.
    static constexpr unsigned kHangs = kTurns;  // turns in a row without a sign of life

    explicit WatchdogJudge(std::size_t parts) : silent_(parts, 0) {}

    struct Verdict {
        bool all_well = true;              // else one owes an answer
        std::vector<std::size_t> ask;      // parts that are to show that they live
        std::optional<std::size_t> hangs;  // a part that is given up
    };
    // REQUIRES: one value for each part: whether it gave a sign of life since the last turn.
    Verdict turn(const std::vector<bool>& signs);

  private:
    std::vector<unsigned> silent_;  // turns in a row without a sign of life
};

// The interval that the service manager asks for with $WATCHDOG_USEC and $WATCHDOG_PID (null: not set); 0: it
// asks for none, or asks another process. Errors: BadRange, and it is to be ignored.
Result<std::uint64_t> watchdog_interval_ns(const char* usec, const char* pid, std::int64_t own_pid);

}  // namespace tegu::daemon
