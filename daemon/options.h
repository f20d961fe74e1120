// SPDX-License-Identifier: Apache-2.0
// The command line of tegud.
#pragma once

#include <string>
#include <variant>

#include "base/result.h"

namespace tegu::daemon {

struct Options {
    std::string settings_file;    // "": the default file, which may be missing
    std::string socket_path;      // "": that of the settings
    std::string sysroot = "/";    // root folder of the board's files
    bool check_settings = false;  // report on the file and exit
    bool print_settings = false;  // print the values in force and exit
    bool verbose = false;         // also log messages below the level of the settings
};

// A reason to exit at once: --help, --version, or a wrong command line.
struct EarlyExit {
    int code = 0;      // of sysexits(3): 64 for a wrong command line
    std::string text;  // for standard output if the code is 0, else for standard error
};

std::variant<Options, EarlyExit> parse_options(int argc, const char* const* argv);

}  // namespace tegu::daemon
