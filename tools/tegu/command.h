// SPDX-License-Identifier: Apache-2.0
// The table of subcommands: those of the operations, then the others. A command is one file; its setup
// declares the options and returns the function to run after parsing.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/operations.h"
#include "tools/tegu/command_line.h"
#include "tools/tegu/failure.h"

// X(name on the command line, stem, sentence, example)
#define TEGU_COMMANDS(X)                                                                                \
    X("ping", ping, "Ask whether the daemon answers, and how fast", "tegu ping -c 3")                   \
    X("info", info, "What the daemon is: version, backend, limits", "tegu info --json")                 \
    X("stats", stats, "What the daemon has done: counters and times", "tegu stats --watch")             \
    X("latency", latency, "Measure round trips of small jobs", "tegu latency --size 1024 --seconds 5")  \
    X("buffers", buffers, "The buffers that your programs hold in the daemon", "tegu buffers")          \
    X("jobs", jobs, "The jobs of your programs that wait or run", "tegu jobs --json")                   \
    X("cancel", cancel, "Stop a job of tegu jobs", "tegu cancel 42")                                    \
    X("health", health, "How the board and the daemon are, and why", "tegu health --watch")             \
    X("top", top, "The board, the daemon and its clients, live", "tegu top --interval 0.5 --sort rate") \
    X("metrics", metrics, "Health and counters as metrics for Prometheus", "tegu metrics")              \
    X("kernels", kernels, "The kernels of the GPU and what each takes of it", "tegu kernels --filter reduce")

namespace tegu {
namespace cli {

// The exit code after a successful command: 0, unless the command sets another.
inline int& success_code() {
    static int code = 0;
    return code;
}

using Action = std::function<Expected<void>()>;

class Part;
struct JobOptions;

struct Command {
    const char* name;
    const char* sentence;
    const char* example;
    Action (*setup)(CommandLine& line);
    // Of an operation that can be part of a fused job: makes its Part. Else null.
    std::unique_ptr<Part> (*make_part)(const JobOptions& job) = nullptr;
};

// Operations are declared by the list of base/operations.h; operations/<stem>.cpp has the rest.
#define TEGU_X(number, Name, stem, inputs, sentence) Command stem##_command();
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
#define TEGU_X(name, stem, sentence, example) Action setup_##stem(CommandLine& line);
TEGU_COMMANDS(TEGU_X)
#undef TEGU_X

// In the order of the help.
inline std::vector<Command> commands() {
    return {
#define TEGU_X(number, Name, stem, inputs, sentence) stem##_command(),
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
#define TEGU_X(name, stem, sentence, example) {name, sentence, example, setup_##stem},
            TEGU_COMMANDS(TEGU_X)
#undef TEGU_X
    };
}

}  // namespace cli
}  // namespace tegu
