// SPDX-License-Identifier: Apache-2.0
// The groups of cases. Each adds a row for every case whose name the filter finds; names read "operation/axis=value/...".
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/bench/report.h"

namespace tegu::bench {

struct Settings {
    std::regex filter;     // searched in the name of a case
    unsigned threads = 1;  // of the pool, here and in the daemon
    int repetitions = 7;   // of each case; each has its own line in the noise
    std::string tegud;     // the program

    bool wants(const std::string& name) const { return std::regex_search(name, filter); }
};

// The kernels in this process, and the time to read the same bytes.
Result<void> run_kernel_cases(const Settings& settings, std::vector<Row>& rows);

// A private tegud: start, round trips, pipelining, large buffers against the same job in this process, idle cost.
Result<void> run_daemon_cases(const Settings& settings, std::vector<Row>& rows);

}  // namespace tegu::bench
