// SPDX-License-Identifier: Apache-2.0
// tegu-bench: measures the kernels in this process and a private tegud through its socket, and prints one table. Times on a busy
// machine say little: the noise is printed with them, and so is the load before the start. Three subcommands measure a GPU: `gpu` is
// a program of its own, as it needs a newer toolkit than the daemon does, `ladder` is in tools/bench/ladder, `round-trip` in gpu_roundtrip.cpp.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

#include "tools/bench/cases.h"
#include "tools/bench/gpu_roundtrip.h"
#include "tools/bench/ladder/ladder_bench.h"

namespace tegu::bench {
namespace {

std::string beside_this_program(const std::string& name) {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0) return name;
    const std::string self(path, static_cast<std::size_t>(length));
    return self.substr(0, self.rfind('/') + 1) + name;
}

// Runs tegu-bench-gpu in the place of this program.
int run_gpu_cases(char** argv) {
    const std::string program = beside_this_program("tegu-bench-gpu");
    argv[1] = argv[0];
    execv(program.c_str(), argv + 1);
    std::fprintf(stderr, "tegu-bench gpu: cannot run %s, which is built with CUDA 11 and later: %s\n", program.c_str(),
                 std::strerror(errno));
    return 69;
}

int run(int argc, const char* const* argv) {
    Settings settings;
    std::string filter;
    bool as_json = false;
    settings.threads = std::max(1u, std::thread::hardware_concurrency());
    settings.tegud = beside_this_program("tegud");
    CLI::App app("Measures tegu's kernels and a private tegud on this machine.", "tegu-bench");
    app.footer(
        "tegu-bench gpu     times kernels of every operation on a GPU (--filter PART, --quick, --sweep)\n"
        "tegu-bench ladder  times a sum on a GPU in seven steps, and kernels as they are first written (--help)\n"
        "tegu-bench round-trip  times jobs on the GPU through the socket (--help)");
    app.add_option("-f,--filter", filter, "run the cases whose name holds this regular expression");
    app.add_option("-t,--threads", settings.threads, "threads of the pool; cases with one thread run as well")
        ->check(CLI::Range(1u, 1024u));
    app.add_option("-r,--repetitions", settings.repetitions, "repetitions of each case")->check(CLI::Range(1, 1000));
    app.add_option("-s,--seconds", settings.seconds,
                   "measuring time of each case of the kernels, all repetitions together")
        ->check(CLI::Range(1e-6, 3600.0));
    CLI::Option* quick = app.add_flag("--quick", settings.quick, "one run of each case: to see that all work");
    quick->excludes("--seconds")->excludes("--repetitions");
    app.add_option("--most-elements", settings.most_elements, "leave out cases of more elements");
    app.add_flag("--list", settings.list, "print the names of the cases and run none");
    app.add_option("--tegud", settings.tegud, "the daemon to start; default: the one beside this program");
    app.add_flag("--json", as_json, "print JSON instead of Markdown");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 64;
    }
    try {
        settings.filter = std::regex(filter);
    } catch (const std::regex_error&) {
        std::fprintf(stderr, "tegu-bench: --filter: '%s' is not a regular expression\n", filter.c_str());
        return 64;
    }

    if (settings.quick) settings.repetitions = 1;
    const Device device = describe_device(argc, argv);
    std::vector<Row> rows;
    Result<void> done = run_kernel_cases(settings, rows);
    if (done) done = run_daemon_cases(settings, rows);
    if (!done) {
        std::fprintf(stderr, "tegu-bench: %s\n", done.error().message.c_str());
        return status_info(done.error().status).exit_code;
    }
    if (settings.list) {
        for (const Row& row : rows) std::printf("%s\n", row.name.c_str());
        return 0;
    }
    std::fputs((as_json ? json(rows, device) : markdown(rows, device)).c_str(), stdout);
    return 0;
}

}  // namespace
}  // namespace tegu::bench

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "gpu") == 0) return tegu::bench::run_gpu_cases(argv);
    if (argc > 1 && std::strcmp(argv[1], "ladder") == 0) return tegu::bench::ladder_command(argc - 1, argv + 1);
    if (argc > 1 && std::strcmp(argv[1], "round-trip") == 0)
        return tegu::bench::round_trip_command(argc - 1, argv + 1, tegu::bench::beside_this_program("tegud"));
    return tegu::bench::run(argc, argv);
}
