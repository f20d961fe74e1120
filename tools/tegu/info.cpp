// SPDX-License-Identifier: Apache-2.0
// tegu info: the reply to INFO, for people; --json has every value as it is.
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/output/fields.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {
namespace {

Expected<void> run_info(const CommonOptions& options) {
    guard_timeout(options, "info");
    Expected<client::Client> client = connect(options);
    if (!client) return client.error();
    Expected<std::vector<client::Field>> fields = client->info();
    if (!fields) return fields.error();
    if (options.json) {
        Json json = begin_report("info");
        json.key("info");
        add_fields(json, *fields);
        return finish_report(json);
    }
    return print(fields_table(*fields, {}, nullptr));
}

}  // namespace

Action setup_info(CommandLine& line) {
    auto options = std::make_shared<CommonOptions>();
    add_common_options(line, *options, kControlTimeout);
    return [options] { return run_info(*options); };
}

}  // namespace cli
}  // namespace tegu
