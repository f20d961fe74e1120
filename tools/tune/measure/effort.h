// SPDX-License-Identifier: Apache-2.0
// The effort of measuring: estimates from plans, and the measurement of a cost.
#pragma once

#include <atomic>
#include <string>

#include "tools/tune/jobs/work.h"
#include "tools/tune/measure/class_meter.h"

namespace tegu::tune {

inline constexpr unsigned kMinCostRuns = 5;

// A rough lower bound: the result that others are compared with, and the fewest runs that say anything.
double min_seconds(const WorkStep& step, unsigned cpu_threads);

// The wall time of a job, in microseconds: the median of up to 31 runs within about so many seconds, at least
// kMinCostRuns. Errors: those of the job; Busy (the board stays slow).
Result<double> wall_us(MeasuredJob& job, const tuning::PolicySet& policies, Pace& pace, double seconds,
                       const std::atomic<bool>& interrupted);

// "12 s", "0.4 s", "3 min".
std::string seconds_text(double seconds);

}  // namespace tegu::tune
