// SPDX-License-Identifier: Apache-2.0
// The device and software of a measurement. Unknown facts are "unknown", never an error.
#pragma once

#include <string>

namespace tegu::bench {

struct Device {
    std::string command;  // the whole command line
    std::string commit;   // "<hash>-dirty" for a tree with changes
    std::string date;     // UTC
    std::string cpu;
    std::string isa;  // of the CPU kernels
    std::string gpu;  // empty: nothing ran on one
    std::string kernel;
    std::string build;  // compiler and build type
    unsigned cores = 1;
    double load = 0;  // of the last minute, when the program began
};

Device describe_device(int argc, const char* const* argv);

}  // namespace tegu::bench
