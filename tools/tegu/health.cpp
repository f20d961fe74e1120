// SPDX-License-Identifier: Apache-2.0
// tegu health: prints the health of the board and the daemon, once or repeatedly. The exit code is the state
// for scripts: 0 ok, 1 degraded, 2 failing. An unreachable daemon has a separate code, as with every command.
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"
#include "tools/tegu/watch.h"

namespace tegu {
namespace cli {
namespace {

struct Options {
    CommonOptions common;
    WatchOptions watch;
};

Expected<void> read_and_show(const Options& options, client::Client& client) {
    const Expected<client::Health> health =
        client.health(options.common.json ? TEGU_HEALTH_JSON : TEGU_HEALTH_TEXT);
    if (!health) return health.error();
    arm_timeout(0, "", "");
    success_code() = health->state;
    if (!options.common.json) return print(page(options.watch, health->text));
    Json json = begin_report("health");
    json.key("health");
    json.json(health->text);
    return finish_report(json);
}

}  // namespace

Action setup_health(CommandLine& line) {
    auto options = std::make_shared<Options>();
    add_watch_options(line, options->watch);
    add_common_options(line, options->common, kControlTimeout);
    return [options] {
        return watch(options->common, options->watch, "health",
                     [&](client::Client& client) { return read_and_show(*options, client); });
    };
}

}  // namespace cli
}  // namespace tegu
