// SPDX-License-Identifier: Apache-2.0
// WatchdogJudge: decides whether the daemon may send a keep-alive. Each turn takes the heartbeats of all
// parts; a silent part is probed and blocks the keep-alive until its heartbeat. It counts turns, not time, so
// a suspended process blames no part. Pure.
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
    // A part hangs if it has no heartbeat for the whole interval; three quarters of that follow the probe.
    static constexpr unsigned kHangs = kTurns;  // successive turns without a heartbeat

    explicit WatchdogJudge(std::size_t parts) : silent_(parts, 0) {}

    struct Verdict {
        bool all_well = true;              // false: a probe is pending
        std::vector<std::size_t> ask;      // parts to probe
        std::optional<std::size_t> hangs;  // a part that hangs
    };
    // REQUIRES: one value for each part: whether it had a heartbeat since the last turn.
    Verdict turn(const std::vector<bool>& signs);

  private:
    std::vector<unsigned> silent_;  // successive turns without a heartbeat
};

// The watchdog interval from $WATCHDOG_USEC and $WATCHDOG_PID (null: not set); 0: none, or meant for another
// process. Errors: BadRange; the caller ignores the variables.
Result<std::uint64_t> watchdog_interval_ns(const char* usec, const char* pid, std::int64_t own_pid);

}  // namespace tegu::daemon
