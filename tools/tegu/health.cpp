// SPDX-License-Identifier: Apache-2.0
// tegu health: how the board and the daemon are, once or again and again. The program ends with the state, 0 ok, 1 degraded, 2 failing, so that a
// script or a timer can act on it; a daemon that does not answer has a code of its own, as with every command.
#include <chrono>
#include <memory>
#include <thread>

#include "tools/tegu/command.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"
#include "tools/tegu/terminal.h"

namespace tegu {
namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    CommonOptions common;
    bool watch = false;
    double interval = 1;
    std::uint64_t count = 0;  // 0: until interrupted
};

Expected<void> show(const Options& options, const client::Health& health) {
    success_code() = health.state;
    if (options.common.json) {
        Json json = begin_report("health");
        json.key("health");
        json.json(health.text);
        return finish_report(json);
    }
    // A terminal shows one page that changes; a file gets one page after another.
    if (!options.watch) return print(health.text);
    return print(stdout_has_colour() ? "\033[H\033[J" + health.text : health.text + "\n");
}

Expected<void> run(const Options& options) {
    guard_timeout(options.common, "health");
    Expected<client::Client> client = connect(options.common);
    if (!client) return client.error();
    if (options.watch) catch_interrupt();
    for (std::uint64_t i = 0; !interrupted();) {
        const Clock::time_point start = Clock::now();
        guard_timeout(options.common, "health");
        const Expected<client::Health> health =
            client->health(options.common.json ? TEGU_HEALTH_JSON : TEGU_HEALTH_TEXT);
        if (!health) return health.error();
        arm_timeout(0, "", "");
        Expected<void> shown = show(options, *health);
        if (!shown || !options.watch || ++i == options.count) return shown;
        const Clock::time_point next =
            start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.interval));
        while (Clock::now() < next && !interrupted())
            std::this_thread::sleep_for(std::min<Clock::duration>(next - Clock::now(), std::chrono::milliseconds(50)));
    }
    return {};
}

}  // namespace

Action setup_health(CommandLine& line) {
    auto options = std::make_shared<Options>();
    line.flag("-w,--watch", options->watch, "Again and again, until interrupted; with --json one object a line");
    line.seconds("-i,--interval", options->interval, "Seconds between two readings [1]", 0.01);
    line.count("-c,--count", options->count, "Stop watching after this many readings", 1);
    add_common_options(line, options->common, kControlTimeout);
    return [options] { return run(*options); };
}

}  // namespace cli
}  // namespace tegu
