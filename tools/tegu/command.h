// SPDX-License-Identifier: Apache-2.0
// The table of subcommands. A command is one file: setup_<name>() declares its options and returns what runs
// once they are parsed. Adding a command adds a line to TEGU_COMMANDS and its file.
#pragma once

#include <functional>

#include "tools/tegu/command_line.h"
#include "tools/tegu/failure.h"

// X(name on the command line, stem, sentence, example)
#define TEGU_COMMANDS(X)                                                                                  \
    X("reduce", reduce, "Statistics of an array, in one pass", "tegu reduce --stats sum,std numbers.npy") \
    X("topk", topk, "The k largest or smallest values and where they are",                                \
      "tegu topk -k 10 --json numbers.npy")                                                               \
    X("entropy-map", entropy_map, "Shannon entropy of the window around each pixel",                      \
      "tegu entropy-map --window 9 --levels 64 --colour viridis photo.png -o entropy.png")                \
    X("add", add, "Sum of two arrays, element by element", "tegu add first.png second.png -o sum.npy")    \
    X("dot", dot, "Scalar product of two arrays", "tegu dot --rows first.npy second.npy")                 \
    X("rowscale", rowscale, "Each row divided by its largest magnitude",                                  \
      "tegu rowscale --rows weights.npy -o scaled.npy --scales scales.npy")                               \
    X("quantile", quantile, "Exact quantiles of an array", "tegu quantile -q 0.5,0.9,0.99 times.npy")     \
    X("histogram", histogram, "Counts of equal bins", "tegu histogram --bins 64 --range 0,256 photo.png") \
    X("entropy", entropy, "Shannon entropy of the levels of an array",                                    \
      "tegu entropy --levels 16 --rows photo.png")                                                        \
    X("fused", fused, "Several operations on one array, in one pass where possible",                      \
      "tegu fused --stats min,max,std --bins 64 --levels 256 -q 0.5 photo.png")                           \
    X("ping", ping, "Ask whether the daemon answers, and how fast", "tegu ping -c 3")                     \
    X("info", info, "What the daemon is: version, backend, limits", "tegu info --json")                   \
    X("stats", stats, "What the daemon has done: counters and times", "tegu stats --watch")               \
    X("latency", latency, "Measure round trips of small jobs", "tegu latency --size 1024 --seconds 5")    \
    X("buffers", buffers, "The buffers that your programs hold in the daemon", "tegu buffers")            \
    X("health", health, "How the board and the daemon are, and why", "tegu health --watch")               \
    X("top", top, "The board, the daemon and its clients, live", "tegu top --interval 0.5 --sort rate")   \
    X("metrics", metrics, "Health and counters as metrics for Prometheus", "tegu metrics")                \
    X("kernels", kernels, "The kernels of the GPU and what each takes of it", "tegu kernels --filter reduce")

namespace tegu {
namespace cli {

// What the program ends with after a command that succeeded: 0, unless the command says otherwise.
inline int& success_code() {
    static int code = 0;
    return code;
}

using Action = std::function<Expected<void>()>;

#define TEGU_X(name, stem, sentence, example) Action setup_##stem(CommandLine& line);
TEGU_COMMANDS(TEGU_X)
#undef TEGU_X

struct Command {
    const char* name;
    const char* sentence;
    const char* example;
    Action (*setup)(CommandLine& line);
};

}  // namespace cli
}  // namespace tegu
