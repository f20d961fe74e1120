// SPDX-License-Identifier: Apache-2.0
// A build without Google Benchmark.
#include <cstdio>
#include <cstring>

#include "tools/bench/commands.h"

namespace tegu::bench {

int cases_command(int argc, const char* const* argv, const std::string&) {
    const bool help = argc > 1 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0);
    std::fprintf(help ? stdout : stderr,
                 "tegu-bench: built without Google Benchmark, so its cases of single kernels are not there. "
                 "It has\n%s\n",
                 kCommands);
    return help ? 0 : 69;
}

}  // namespace tegu::bench
