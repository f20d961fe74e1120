// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/watch.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tools/tegu/output/terminal.h"
#include "tools/tegu/signals.h"

namespace tegu {
namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

void sleep_until(Clock::time_point end) {
    for (Clock::time_point now = Clock::now(); now < end && !interrupted(); now = Clock::now())
        std::this_thread::sleep_for(std::min<Clock::duration>(end - now, std::chrono::milliseconds(50)));
}

}  // namespace

void add_watch_options(CommandLine& line, WatchOptions& options) {
    line.flag("-w,--watch", options.watch,
              "Again and again, until interrupted; with --json one object a line");
    line.seconds("-i,--interval", options.interval, "Seconds between two readings [1]", 0.01);
    line.count("-c,--count", options.count, "Stop watching after this many readings", 1);
}

Expected<void> watch(const CommonOptions& common, const WatchOptions& options, const char* command,
                     const std::function<Expected<void>(client::Client& client)>& read_and_show) {
    guard_timeout(common, command);
    Expected<client::Client> client = connect(common);
    if (!client) return client.error();
    if (options.watch) catch_interrupt();
    const auto interval =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.interval));
    for (std::uint64_t i = 0; !interrupted();) {
        const Clock::time_point start = Clock::now();
        guard_timeout(common, command);
        Expected<void> done = read_and_show(*client);
        if (!done || !options.watch || ++i == options.count) return done;
        sleep_until(start + interval);
    }
    return {};
}

std::string page(const WatchOptions& options, const std::string& text) {
    if (!options.watch) return text;
    return stdout_is_live() ? "\033[H\033[J" + text : text + "\n";
}

}  // namespace cli
}  // namespace tegu
