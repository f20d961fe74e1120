// SPDX-License-Identifier: Apache-2.0
// tegu metrics: what a Prometheus scrapes, or node_exporter takes from a file: the daemon's text, as it is.
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {
namespace {

Expected<void> run(const CommonOptions& options) {
    guard_timeout(options, "metrics");
    Expected<client::Client> client = connect(options);
    if (!client) return client.error();
    const Expected<client::Health> health = client->health(TEGU_HEALTH_METRICS);
    if (!health) return health.error();
    if (!options.json) return print(health->text);
    Json json = begin_report("metrics");
    json.key("metrics").text(health->text);
    return finish_report(json);
}

}  // namespace

Action setup_metrics(CommandLine& line) {
    auto options = std::make_shared<CommonOptions>();
    add_common_options(line, *options, kControlTimeout);
    return [options] { return run(*options); };
}

}  // namespace cli
}  // namespace tegu
