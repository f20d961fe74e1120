// SPDX-License-Identifier: Apache-2.0
// tegu-bench: measures kernels, a private tegud, a GPU, a whole board. This file dispatches the command; each
// has its own file or folder. `gpu` is a separate program, because it needs a newer toolkit than the daemon.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/bench/commands.h"
#include "tools/bench/gpu_roundtrip.h"
#include "tools/bench/ladder/ladder_bench.h"
#include "tools/bench/placement/placement_command.h"
#include "tools/bench/programs.h"
#include "tools/field/first_result.h"
#include "tools/field/run_command.h"

namespace tegu::bench {
namespace {

// Runs tegu-bench-gpu in the place of this program.
int run_gpu_cases(char** argv) {
    const std::string program = folder_of_this_program() + "tegu-bench-gpu";
    argv[1] = argv[0];
    execv(program.c_str(), argv + 1);
    std::fprintf(stderr, "tegu-bench gpu: cannot run %s, which is built with CUDA 11 and later: %s\n",
                 program.c_str(), std::strerror(errno));
    return 69;
}

int run_command(int argc, char** argv) {
    const std::string command = argc > 1 ? argv[1] : "";
    if (command == "run") return field::run_command(argc - 1, argv + 1, this_program(), find_tegud());
    if (command == "compare") return compare_command(argv + 1);
    if (command == "gpu") return run_gpu_cases(argv);
    if (command == "ladder") return ladder_command(argc - 1, argv + 1);
    if (command == "placement") return placement_command(argc - 1, argv + 1, find_tegud());
    if (command == "round-trip") return round_trip_command(argc - 1, argv + 1, find_tegud());
    if (command == "first-result") return field::first_result_command(argc - 1, argv + 1);  // for `run` alone
    return cases_command(argc, argv, find_tegud());
}

}  // namespace
}  // namespace tegu::bench

int main(int argc, char** argv) {
    return tegu::bench::run_command(argc, argv);
}
