// SPDX-License-Identifier: Apache-2.0
// tegu health: prints the health of the board and the daemon, once or repeatedly. The exit code is the state
// for scripts: 0 ok, 1 degraded, 2 failing. An unreachable daemon has a separate code, as with every command.
#include <algorithm>
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"
#include "tools/tegu/watch.h"

namespace tegu {
namespace cli {
namespace {

struct HealthOptions {
    CommonOptions common;
    WatchOptions watch;
};

// The text of the daemon: a label of each line, then words. The state and its reasons are green, yellow and
// red.
std::string coloured(const std::string& text) {
    constexpr const char *kBold = "\033[1m", *kReset = "\033[0m";
    const auto colour = [](const std::string& state) {
        return state == "ok" ? "\033[1;32m" : state == "degraded" ? "\033[1;33m" : "\033[1;31m";
    };
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        const std::size_t label = std::min(line.find(' '), line.size());
        const std::string word = line.substr(0, label), rest = line.substr(label);
        const std::size_t state = rest.find_first_not_of(' ');
        if (word == "health" && state != std::string::npos)
            result += kBold + word + kReset + rest.substr(0, state) + colour(rest.substr(state)) +
                      rest.substr(state) + kReset;
        else if (word == "degraded" || word == "failing")
            result += colour(word) + word + kReset + rest;
        else
            result += word.empty() ? line : kBold + word + kReset + rest;
        result += '\n';
        begin = end + 1;
    }
    return result;
}

Expected<void> read_and_show(const HealthOptions& options, client::Client& client) {
    const Expected<client::Health> health =
        client.health(options.common.json ? TEGU_HEALTH_JSON : TEGU_HEALTH_TEXT);
    if (!health) return health.error();
    arm_timeout(0, "", "");
    success_code() = health->state;
    if (!options.common.json) {
        const std::string& text = health->text;
        return print(page(options.watch, stdout_has_colour() ? coloured(text) : text));
    }
    Json json = begin_report("health");
    json.key("health");
    json.json(health->text);
    return finish_report(json);
}

}  // namespace

Action setup_health(CommandLine& line) {
    auto options = std::make_shared<HealthOptions>();
    add_watch_options(line, options->watch);
    add_common_options(line, options->common, kControlTimeout);
    return [options] {
        return watch(options->common, options->watch, "health",
                     [&](client::Client& client) { return read_and_show(*options, client); });
    };
}

}  // namespace cli
}  // namespace tegu
