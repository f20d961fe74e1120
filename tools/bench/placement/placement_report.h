// SPDX-License-Identifier: Apache-2.0
// The results of a daemon's choices: a table as text, JSON for scripts/plot-placement.py.
#pragma once

#include <string>

#include "tools/bench/device.h"
#include "tools/bench/placement/placement_beside.h"
#include "tools/bench/placement/placement_run.h"

namespace tegu::bench {

// Percentiles of auto's time over that of the better backend.
struct PlacementSummary {
    std::size_t cases = 0;
    double p50 = 0, p90 = 0, p95 = 0, worst = 0;
};
PlacementSummary summary_of(const std::vector<PlacementRow>& rows);

std::string placement_markdown(const PlacementResult& result, const Device& device);
std::string placement_json(const PlacementResult& result, const Device& device);
std::string beside_markdown(const BesideResult& result, const BesideOptions& options, const Device& device);
std::string beside_json(const BesideResult& result, const BesideOptions& options, const Device& device);

}  // namespace tegu::bench
