// SPDX-License-Identifier: Apache-2.0
// tegu-bench ladder times the steps of the ladder and the kernels of a first course on the first GPU. Beside
// each stands tegu's own kernel for the same result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/bench/report.h"

namespace tegu::bench {

struct LadderSettings {
    std::uint64_t elements = std::uint64_t{1} << 24;  // of the sums; 1 or more
    unsigned threads = 1024;                          // of a block of the ladder: 128, 256, 512 or 1024
    bool quick = false;                               // few repetitions of small sizes: to see that all works
};

struct LadderRow {
    Row row;             // its name: "sum/f32/n=16777216/7"
    std::string title;   // "grid stride and shuffles"
    std::string change;  // difference from the previous row
    double of_copy = 0;  // time of a copy of as many bytes, by the time of this; 0: no bytes are counted
    double speedup = 0;  // over the row that it is compared with; 0: with none
    std::uint64_t partials = 0;  // sums that are left for the host to add; 0: not a sum
};
// Rows that compute one thing.
struct LadderTable {
    std::string title;
    std::vector<LadderRow> rows;
};
struct LadderReport {
    std::string gpu;  // the device of the run
    double copy_gigabytes_per_second = 0;
    std::uint64_t copied_bytes = 0;  // by that copy
    std::vector<LadderTable> tables;
};

// Each result is compared with the host's before it is timed. Errors: Unavailable (no GPU, or built without
// CUDA), Internal (a wrong result).
Result<LadderReport> run_ladder(const LadderSettings& settings);

std::string ladder_markdown(const LadderReport& report, const Device& device);
std::string ladder_json(const LadderReport& report, const Device& device);

// The subcommand; argv[0] is its name. Returns an exit code of sysexits(3).
int ladder_command(int argc, const char* const* argv);

}  // namespace tegu::bench
