// SPDX-License-Identifier: Apache-2.0
// Times each case on the CPU, on the GPU, and with the daemon's choice. Three private daemons run the same
// pattern of jobs: two with a fixed backend, one that chooses from the times of its own jobs. They alternate,
// so that all see the same machine state.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/bench/placement/placement_cases.h"

namespace tegu::bench {

struct PlacementOptions {
    std::string tegud;
    std::vector<std::string> environment;  // of the daemons, "NAME=value"
    unsigned threads = 1;
    std::uint64_t max_elements = 30'000'000;
    double case_seconds = 0.3;  // for the measured turns of a case; as much for its warm-up
    int warm_up = 48;           // jobs before that, of the daemon that chooses, at most
    std::string filter;         // part of a case's name
};

struct PlacementRow {
    std::string name, operation, type;
    std::uint64_t elements = 0;
    double cpu_us = 0, gpu_us = 0, auto_us = 0;  // round trips, medians
    double noise = 0;                            // of auto, relative
    double on_gpu = 0;                           // share of auto's measured jobs
    int turns = 0;
    double best_us() const { return cpu_us < gpu_us ? cpu_us : gpu_us; }
    double ratio() const { return auto_us / best_us(); }
};

struct PlacementResult {
    std::vector<PlacementRow> rows;
    std::string gpu, cpu_isa, memory_class;
    std::string cpu_source, gpu_source;  // of the times that the daemon chooses by, before the first job
    std::vector<std::pair<std::string, std::uint64_t>> placed;  // counters of the daemon that chooses
    std::size_t skipped = 0;                                    // cases that a daemon refused
};

// `progress` is called after each case. Errors: those of starting and reaching a daemon; Unsupported:
// it runs no GPU.
Result<PlacementResult> run_placement(const PlacementOptions& options,
                                      const std::function<void(const PlacementRow&)>& progress);

}  // namespace tegu::bench
