// SPDX-License-Identifier: Apache-2.0
// Computes the health state (ok, degraded or failing) and its reasons. Pure function of a snapshot, the
// daemon's facts, the time and the previous assessment. Hysteresis and minimum times prevent flapping; an
// unknown value is never a reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/health/board/snapshot.h"
#include "daemon/health/reasons.h"

namespace tegu::daemon::health {

struct ExecutorSilence {
    std::string executor;
    double seconds = 0;  // since its last progress, beyond the allowed job time; 0 if it has no work
};

struct DaemonFacts {
    bool gpu_unavailable = false;  // a selected GPU does not run jobs
    bool gpu_runs = false;         // another GPU does
    std::string gpu_reason;
    std::vector<ExecutorSilence> executors;
    std::uint64_t internal_errors_total = 0;
    std::string last_internal_error;
    bool reload_failed = false;  // the last reload; the previous settings stay in force
    std::string reload_error;
    double watchdog_interval_seconds = 0;  // 0: no watchdog
    double watchdog_gap_seconds = 0;       // the longest so far
    bool store_degraded = false;
    std::string store_reason;
};

struct Reason {
    Code code = Code::ReadingsStale;
    std::string subject;   // the zone, rail, file, executor; may be empty
    std::string sentence;  // without a full stop
    std::int64_t since_unix_ms = 0;
};

struct Assessment {
    State state = State::Ok;
    std::vector<Reason> reasons;  // in the order of TEGU_HEALTH_REASONS, then as the board lists them

    struct Watch {  // for the next assessment: a present or recent cause
        Reason reason;
        std::uint64_t first_ns = 0, last_ns = 0;  // seen, monotonic
        bool raised = false;
    };
    std::vector<Watch> watches;
    std::uint64_t internal_errors = 0;
    double watchdog_gap_seconds = 0;
};

Assessment assess(const Snapshot& snapshot, const DaemonFacts& facts, Times now, const Assessment& previous);

}  // namespace tegu::daemon::health
