// SPDX-License-Identifier: Apache-2.0
// tegu-bench without a command: the cases of the kernels in this process and of a private tegud, in one
// table. Times on a busy machine are unreliable, so the table shows the noise and the load before the start.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <regex>
#include <thread>

#include "tools/bench/cases.h"
#include "tools/bench/commands.h"
#include "tools/options/finite.h"

namespace tegu::bench {

int cases_command(int argc, const char* const* argv, const std::string& tegud) {
    Settings settings;
    std::string filter;
    bool as_json = false;
    settings.threads = std::max(1u, std::thread::hardware_concurrency());
    settings.tegud = tegud;
    CLI::App app("Measures tegu's kernels and a private tegud on this machine.", "tegu-bench");
    app.footer(kCommands);
    app.add_option("-f,--filter", filter, "run the cases whose name holds this regular expression");
    app.add_option("-t,--threads", settings.threads, "threads of the pool; cases with one thread run as well")
        ->check(CLI::Range(1u, 1024u));
    app.add_option("-r,--repetitions", settings.repetitions, "repetitions of each case")
        ->check(CLI::Range(1, 1000));
    app.add_option("-s,--seconds", settings.seconds,
                   "measuring time of each case of the kernels, all repetitions together")
        ->check(CLI::Range(1e-6, 3600.0))
        ->check(finite());
    CLI::Option* quick =
        app.add_flag("--quick", settings.quick, "one run of each case: to see that all work");
    quick->excludes("--seconds")->excludes("--repetitions");
    app.add_option("--most-elements", settings.max_elements, "leave out cases of more elements");
    app.add_flag("--list", settings.list, "print the names of the cases and run none");
    app.add_option("--tegud", settings.tegud, "the daemon to start; default: the one beside this program");
    app.add_flag("--json", as_json, "print JSON instead of Markdown");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 64;
    }
    try {
        settings.wants = [expression = std::regex(filter)](const std::string& name) {
            return std::regex_search(name, expression);
        };
    } catch (const std::regex_error&) {
        std::fprintf(stderr, "tegu-bench: --filter: '%s' is not a regular expression\n", filter.c_str());
        return 64;
    }

    if (settings.quick) settings.repetitions = 1;
    const Device device = describe_device(argc, argv);
    std::vector<Row> rows;
    Result<void> done = run_kernel_cases(settings, rows);
    if (done) done = run_tuning_cases(settings, rows);
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

}  // namespace tegu::bench
