// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/gain.h"

#include <algorithm>

namespace tegu::tune {

Gain gain_of(const std::vector<Duel>& duels) {
    Gain gain;
    std::vector<double> tuned, initial;
    for (const Duel& duel : duels) {
        if (duel.tuned.us <= 0 || duel.initial.us <= 0) continue;
        gain.worst = tuned.empty() ? duel.initial.us / duel.tuned.us
                                   : std::min(gain.worst, duel.initial.us / duel.tuned.us);
        tuned.push_back(duel.tuned.us);
        initial.push_back(duel.initial.us);
        gain.noise = std::max({gain.noise, duel.tuned.noise, duel.initial.noise});
    }
    if (tuned.empty()) return gain;
    gain.time_us = geometric_mean(tuned);
    gain.default_us = geometric_mean(initial);
    return gain;
}

bool is_clear(const Gain& gain) {
    return gain.share() >= std::max(kMinGain, kMinNoises * gain.noise) && gain.worst >= kMinSpeed;
}

}  // namespace tegu::tune
