// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

#include "tools/bench/placement/placement_report.h"
#include "tools/options/finite.h"

namespace tegu::bench {
namespace {

constexpr int kNoGpu = 69;

int report(const Error& error) {
    std::fprintf(stderr, "tegu-bench placement: %s\n", error.message.c_str());
    return error.status == Status::Unsupported ? kNoGpu : status_info(error.status).exit_code;
}

int write(const std::string& file, const std::string& json, const std::string& markdown) {
    std::fputs(markdown.c_str(), stdout);
    if (file.empty()) return 0;
    std::ofstream out(file);
    if (out << json << std::flush) return 0;
    std::fprintf(stderr, "tegu-bench placement: cannot write %s\n", file.c_str());
    return 74;
}

int compare(const PlacementOptions& options, const std::string& file, const Device& device) {
    const bool shows = ::isatty(STDERR_FILENO) != 0;
    std::size_t count = 0;
    const Result<PlacementResult> result = run_placement(options, [&](const PlacementRow& row) {
        if (shows) std::fprintf(stderr, "\r\033[K%zu: %s: %.2f", ++count, row.name.c_str(), row.ratio());
    });
    if (shows) std::fputs("\r\033[K", stderr);
    if (!result) return report(result.error());
    return write(file, placement_json(*result, device), placement_markdown(*result, device));
}

}  // namespace

int placement_command(int argc, const char* const* argv, const std::string& tegud) {
    CLI::App app(
        "Times jobs of every operation on the CPU, on the GPU and where a daemon that has the choice puts "
        "them, and "
        "says how much longer its choice "
        "takes than the better one. With --beside: a sum of 1e6 floats beside another process's " +
            long_job().name + ".",
        "tegu-bench placement");
    PlacementOptions options;
    options.tegud = tegud;
    options.threads = std::max(1u, std::thread::hardware_concurrency());
    BesideOptions beside;
    bool is_beside = false;
    std::string file;
    app.add_option("--tegud", options.tegud, "the daemon to start; default: the one beside this program");
    app.add_option("--env", options.environment, "a variable of the daemons, NAME=value; may be given again");
    app.add_option("-t,--threads", options.threads, "threads of the daemons' pools")
        ->check(CLI::Range(1u, 1024u));
    app.add_option("-f,--filter", options.filter, "only jobs whose name holds this text");
    app.add_option("--most-elements", options.max_elements, "leave out larger jobs")
        ->check(CLI::Range(1000u, 30000000u));
    app.add_option("-s,--case-seconds", options.case_seconds, "measuring time of each job")
        ->check(CLI::Range(1e-3, 60.0))
        ->check(finite());
    app.add_option("--warm-up", options.warm_up, "jobs of each kind before those that are measured, at most")
        ->check(CLI::Range(1, 10000));
    app.add_option("-o,--output", file, "write the result as JSON, too");
    CLI::Option* const flag =
        app.add_flag("--beside", is_beside, "time a sum beside another process's " + long_job().name);
    app.add_option("--seconds", beside.seconds, "how long, beside")
        ->check(CLI::Range(0.1, 3600.0))
        ->check(finite())
        ->needs(flag);
    app.add_option("--side", beside.side, "of the maps, in pixels")
        ->check(CLI::Range(64u, 32768u))
        ->needs(flag);
    app.add_option("--depth", beside.depth, "maps in flight")->check(CLI::Range(1u, 64u))->needs(flag);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 64;
    }
    const Device device = describe_device(argc, argv);
    if (!is_beside) return compare(options, file, device);
    const Result<BesideResult> result = run_beside(options, beside);
    if (!result) return report(result.error());
    return write(file, beside_json(*result, beside, device), beside_markdown(*result, beside, device));
}

}  // namespace tegu::bench
