// SPDX-License-Identifier: Apache-2.0
// tegu ping: exit code 0 if the daemon answers. Small, because scripts use it to wait.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>

#include "base/latency_histogram.h"
#include "tools/tegu/command.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"

namespace tegu {
namespace cli {
namespace {

struct PingOptions {
    CommonOptions common;
    std::uint64_t count = 1;
    double interval = 1, wait = 0;
};

// Returns early if a signal comes.
void pause(double seconds) {
    timespec time;
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
    nanosleep(&time, nullptr);
}

Expected<void> report(const PingOptions& options, const LatencyHistogram& times, std::uint64_t reconnects) {
    if (!options.common.json) {
        if (options.count == 1) return {};
        return print(std::to_string(times.count()) + " replies, min " + duration_text(times.min_ns()) +
                     ", avg " + duration_text(times.mean_ns()) + ", max " + duration_text(times.max_ns()) +
                     "\n");
    }
    Json json = begin_report("ping");
    json.key("count").integer(times.count()).key("reconnects").integer(reconnects);
    json.key("timing_us")
        .begin_object()
        .key("min")
        .number(times.min_ns() / 1e3)
        .key("avg")
        .number(times.mean_ns() / 1e3);
    json.key("max").number(times.max_ns() / 1e3).end_object();
    return finish_report(json);
}

// Tries again while no daemon answers, until --wait is over. Anything else is an answer.
Expected<client::Client> connect_in_time(const PingOptions& options) {
    constexpr double kPause = 0.05;
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        guard_timeout(options.common, "ping");
        Expected<client::Client> client = connect(options.common);
        const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (client || client.error().status != TEGU_UNAVAILABLE || waited >= options.wait) return client;
        pause(std::min(kPause, options.wait - waited));
    }
}

Expected<void> run_ping(const PingOptions& options) {
    Expected<client::Client> client = connect_in_time(options);
    if (!client) return client.error();
    if (options.count > 1) catch_interrupt();
    LatencyHistogram times;
    for (std::uint64_t i = 0; i < options.count && !interrupted(); ++i) {
        if (i != 0) {
            pause(options.interval);
            if (interrupted()) break;
            guard_timeout(options.common, "ping");
        }
        Expected<std::uint64_t> time = client->ping();
        if (!time) return time.error();
        arm_timeout(0, "", "");
        times.add(*time);
        if (options.common.json) continue;
        Expected<void> printed = print("reply in " + duration_text(static_cast<double>(*time)) + "\n");
        if (!printed) return printed;
    }
    return report(options, times, client->reconnects());
}

}  // namespace

Action setup_ping(CommandLine& line) {
    auto options = std::make_shared<PingOptions>();
    line.count("-c,--count", options->count, "How often [1]", 1);
    line.seconds("-i,--interval", options->interval, "Seconds between two [1]", 0);
    line.seconds("--wait", options->wait, "Wait so long for a daemon that is not there yet [0]", 0);
    add_common_options(line, options->common, kControlTimeout);
    return [options] { return run_ping(*options); };
}

}  // namespace cli
}  // namespace tegu
