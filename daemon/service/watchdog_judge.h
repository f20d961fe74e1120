// SPDX-License-Identifier: Apache-2.0
// WatchdogJudge: decides whether the daemon may report that it lives. Once a turn it learns which parts gave
// a sign of life; a silent part is probed and blocks the report until it answers. It counts turns, not time,
// so a stopped process blames no part. Pure.
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
