// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/bench/ladder/ladder_bench.h"

namespace tegu::bench {
namespace {

int fail(const std::string& message, int exit_code) {
    std::fprintf(stderr, "tegu-bench ladder: %s\n", message.c_str());
    return exit_code;
}

}  // namespace

int ladder_command(int argc, const char* const* argv) {
    LadderSettings settings;
    bool as_json = false;
    CLI::App app(
        "Times a sum by atomics (steps 0a and 0b) and in steps 1 to 7, and other kernels as they are first "
        "written, beside tegu's own.",
        "tegu-bench ladder");
    app.add_option("-n,--elements", settings.elements, "elements of the sums [2^24]")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 34));
    app.add_option("-t,--threads", settings.threads, "threads of a block of the ladder [1024]")
        ->check(CLI::IsMember({128u, 256u, 512u, 1024u}));
    app.add_flag("--quick", settings.quick, "few repetitions of small sizes: to see that all works");
    app.add_flag("--json", as_json, "print JSON instead of Markdown");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 64;
    }
    Device device = describe_device(argc, argv);
    device.command.insert(std::string("tegu-bench").size(), " ladder");
    const Result<LadderReport> report = run_ladder(settings);
    if (!report) return fail(report.error().message, status_info(report.error().status).exit_code);
    std::fputs((as_json ? ladder_json(*report, device) : ladder_markdown(*report, device)).c_str(), stdout);
    return 0;
}

}  // namespace tegu::bench
