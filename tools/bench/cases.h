// SPDX-License-Identifier: Apache-2.0
// The groups of cases. Each adds a row for every case whose name matches the filter; names have the form
// "operation/axis=value/...".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/bench/report.h"

namespace tegu::bench {

struct Settings {
    std::function<bool(const std::string& name)> wants;  // whether a case is run
    unsigned threads = 1;                                // of the pool, here and in the daemon
    int repetitions = 7;                                 // of each case; each counts in the noise
    double seconds = 0.2;  // of measuring for each case of the kernels, all repetitions together
    bool quick = false;    // one run of each case: to see that it works, not how fast
    bool list = false;     // names alone
    std::uint64_t max_elements = UINT64_MAX;  // cases with more are left out
    std::string tegud;                        // the program
};

// The kernels in this process, and the time to read the same bytes.
Result<void> run_kernel_cases(const Settings& settings, std::vector<Row>& rows);

// Lookups in tuning tables, and reading them.
Result<void> run_tuning_cases(const Settings& settings, std::vector<Row>& rows);

// A private tegud: start, round trips, pipelining, large buffers against the same job in this process, idle
// cost.
Result<void> run_daemon_cases(const Settings& settings, std::vector<Row>& rows);

}  // namespace tegu::bench
