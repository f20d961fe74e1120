// SPDX-License-Identifier: Apache-2.0
// Times sums of 1e6 floats beside a process that computes maps of an image, one after another. In both the
// daemon chooses the backend.
#pragma once

#include <cstdint>

#include "tools/bench/placement/placement_run.h"

namespace tegu::bench {

// The map of an image of u8 that the other process requests; defined by its operation in operations/.
struct LongJob {
    std::string name;    // in the plural
    std::string detail;  // "63x63"
    client::Request request;
};
LongJob long_job();

struct BesideOptions {
    double seconds = 10;
    std::uint64_t side = 8192;  // of the maps
    unsigned depth = 1;         // maps in flight
};

struct Latencies {
    std::size_t jobs = 0;
    double p50_us = 0, p90_us = 0, p99_us = 0, max_us = 0;
    double on_gpu = 0;  // share
};

struct BesideResult {
    Latencies alone, beside;
    std::uint64_t maps = 0;  // that the other process got meanwhile
};

// Starts a second process. Errors: as of run_placement().
Result<BesideResult> run_beside(const PlacementOptions& options, const BesideOptions& beside);

}  // namespace tegu::bench
