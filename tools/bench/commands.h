// SPDX-License-Identifier: Apache-2.0
// The commands of tegu-bench without a folder.
#pragma once

#include <string>

namespace tegu::bench {

inline constexpr char kCommands[] =
    "tegu-bench run         measures this board and writes one file: -o board.json (--help)\n"
    "tegu-bench compare     makes a report of the files of several boards (--help)\n"
    "tegu-bench gpu         times kernels of every operation on a GPU (--filter PART, --quick, --sweep)\n"
    "tegu-bench ladder      times a sum on a GPU by atomics and in seven steps, and other kernels (--help)\n"
    "tegu-bench placement   says how well a daemon chooses between CPU and GPU (--help)\n"
    "tegu-bench round-trip  times jobs on the GPU through the socket (--help)";

// The command line without a command, all of it. `tegud`: the daemon to start. Returns an exit code of
// sysexits(3).
int cases_command(int argc, const char* const* argv, const std::string& tegud);
// Runs the report's program in the place of this one. argv[0] is "compare". Returns, with an exit code, if it
// cannot.
int compare_command(char** argv);

}  // namespace tegu::bench
