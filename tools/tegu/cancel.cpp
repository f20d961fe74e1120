// SPDX-License-Identifier: Apache-2.0
// tegu cancel: stops a job of this user's programs; for an administrator, of anybody.
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {
namespace {

struct CancelOptions {
    CommonOptions common;
    std::uint64_t id = 0;
};

Expected<void> run_cancel(const CancelOptions& options) {
    guard_timeout(options.common, "cancel");
    Expected<client::Client> client = connect(options.common);
    if (!client) return client.error();
    const Expected<bool> was_running = client->cancel_job(options.id);
    if (!was_running) return was_running.error();
    if (!options.common.json)
        return print("job " + std::to_string(options.id) +
                     (*was_running ? " is being stopped\n" : " was taken from the queue\n"));
    Json json = begin_report("cancel");
    json.key("id").integer(options.id).key("was_running").boolean(*was_running);
    return finish_report(json);
}

}  // namespace

Action setup_cancel(CommandLine& line) {
    auto options = std::make_shared<CancelOptions>();
    line.count("id", options->id, "The job, as tegu jobs numbers it", 1);
    line.require("id");
    add_common_options(line, options->common, kControlTimeout);
    return [options] { return run_cancel(*options); };
}

}  // namespace cli
}  // namespace tegu
