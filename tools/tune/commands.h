// SPDX-License-Identifier: Apache-2.0
// The commands of tegu-tune: each takes its options and returns the exit code of the process. Results go to
// stdout; progress, warnings and errors go to stderr.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/tune/measure/machine.h"

namespace tegu::tune {

// Besides the codes of base/status.h.
inline constexpr int kDone = 0;
inline constexpr int kSlower = 1;     // check: a job is slower with the table
inline constexpr int kDifferent = 1;  // diff: rows differ
inline constexpr int kUsage = 64;
inline constexpr int kBug = 70;           // a policy changed a result
inline constexpr int kTryAgain = 75;      // the board stays slow
inline constexpr int kInterrupted = 130;  // by SIGINT or SIGTERM; files are whole

struct MeasureOptions {
    MachineWish machine;
    std::vector<std::string> operations;  // stems; empty: all
    double minutes = 10;
    std::uint64_t max_elements = UINT64_MAX;
    double patience_seconds = 120;  // for a board that is slowed down
    std::string socket;             // of a tegud to look at; empty: the usual one
    std::string settings;           // of tegud: they say where the tables are that a search begins with
    bool json = false;
    bool quiet = false;
};

struct TuneOptions {
    MeasureOptions measure;
    std::string output;    // empty: "KEY.toml", by the device
    bool restart = false;  // a journal that is there is set aside
    bool costs = true;
    bool rows = true;
};
int tune_command(const TuneOptions& options);

struct CheckOptions {
    MeasureOptions measure;
    std::string table;
};
int check_command(const CheckOptions& options);

// Without a file: the tables that are in force on this machine.
struct ShowOptions {
    std::string table;
    MachineWish machine;
    std::string settings;
};
int show_command(const ShowOptions& options);

int diff_command(const std::string& before, const std::string& after);

struct ApplyOptions {
    std::string table;
    std::string overlay;   // where it goes; empty: as the settings say
    std::string settings;  // of tegud
    std::string socket;    // of tegud; empty: the usual one
    MachineWish machine;
    bool only_install = false;  // neither reloads nor checks
};
int apply_command(const ApplyOptions& options);

// "tegu-tune: ..." on stderr; the exit code of the error.
int fail(const Error& error);
void warn(const std::string& line);

}  // namespace tegu::tune
