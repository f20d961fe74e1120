// SPDX-License-Identifier: Apache-2.0
// One measurement of a case: warmed up, repeated, optionally with its energy. The runner sets the duration
// and uses the result.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "tools/board/watch.h"
#include "tools/field/case.h"
#include "tools/field/gpu_lab.h"

namespace tegu::field {

struct MeasureSettings {
    double seconds = 0.3;   // of timed runs together; the warm-up takes up to a quarter of that before
    bool once = false;      // one run, without a warm-up: to see that it works
    bool energy = false;    // for at least board::kMinEnergySeconds
    GpuLab* gpu = nullptr;  // for Clock::Stream; else null
    std::function<bool()> stopped;
};

struct Measurement {
    std::vector<double> seconds;     // of each timed run, at least one
    std::optional<double> energy_j;  // of one run
};

// Errors: those of the case's functions; Cancelled: stopped before the first run was complete. REQUIRES:
// check() and prepare() were called.
Result<Measurement> measure(Case& one, board::BoardWatch& board, const MeasureSettings& settings);

}  // namespace tegu::field
