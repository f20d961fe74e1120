// SPDX-License-Identifier: Apache-2.0
// The rule that decides whether a policy gets a row: it saves at least 3 % of the default's time, at least
// three times the noise, and makes none of the class's jobs slower.
#pragma once

#include <vector>

#include "tools/tune/measure/statistics.h"

namespace tegu::tune {

inline constexpr double kMinGain = 0.03;
inline constexpr double kMinNoises = 3;
inline constexpr double kMinSpeed = 0.99;  // of each job: default time over tuned time

// One job of a class, measured with both policies in turn.
struct Duel {
    Timing tuned;
    Timing initial;  // with the default policy
};

// The gain of a class, over its jobs.
struct Gain {
    double time_us = 0;  // geometric means over the jobs
    double default_us = 0;
    double worst = 1;  // the smallest default time over tuned time of a job
    double noise = 0;  // the largest of a timing
    double share() const {
        return default_us > 0 ? 1 - time_us / default_us : 0;
    }  // of the time that is saved
    double speed() const { return time_us > 0 ? default_us / time_us : 1; }
};
Gain gain_of(const std::vector<Duel>& duels);

bool is_clear(const Gain& gain);

}  // namespace tegu::tune
