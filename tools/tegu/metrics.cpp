// SPDX-License-Identifier: Apache-2.0
// tegu metrics: prints the daemon's Prometheus metrics, or writes them to a file for node_exporter's textfile
// collector. The file is written even if the daemon does not answer, because an old file would look like a
// healthy daemon.
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "tools/tegu/command.h"
#include "tools/tegu/output/output_file.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {
namespace {

constexpr unsigned kReadableByAll = 0644;  // the collector is another user's

struct MetricsOptions {
    CommonOptions common;
    std::string textfile;  // empty: stdout
};

Expected<std::string> ask(const CommonOptions& options) {
    Expected<client::Client> client = connect(options);
    if (!client) return client.error();
    Expected<client::Health> health = client->health(TEGU_HEALTH_METRICS);
    if (!health) return health.error();
    return std::move(health->text);
}

// As ask(), but comes back after --timeout even if the daemon accepts and says nothing: then a thread stays
// behind, which ends with the process.
Expected<std::string> ask_in_time(const CommonOptions& options) {
    if (options.timeout <= 0) return ask(options);
    std::packaged_task<Expected<std::string>()> task([options] { return ask(options); });
    std::future<Expected<std::string>> answer = task.get_future();
    std::thread(std::move(task)).detach();
    if (answer.wait_for(std::chrono::duration<double>(options.timeout)) != std::future_status::ready)
        return timeout_failure(options);
    return answer.get();
}

std::string up_metric(bool up) {
    return std::string(
               "# HELP tegu_up Whether tegud answered when this file was written.\n# TYPE tegu_up "
               "gauge\ntegu_up ") +
           (up ? "1\n" : "0\n");
}

Expected<void> write_textfile(const MetricsOptions& options) {
    Expected<OutputFile> file = OutputFile::create(options.textfile, "--textfile", kReadableByAll);
    if (!file) return file.error();
    const Expected<std::string> text = ask_in_time(options.common);
    Expected<void> done = file->write(text ? *text + up_metric(true) : up_metric(false));
    if (done) done = file->sync();
    if (done) done = file->commit();
    if (!done) return done;
    return text ? Expected<void>() : Expected<void>(text.error());
}

Expected<void> run_metrics(const MetricsOptions& options) {
    if (!options.textfile.empty()) return write_textfile(options);
    guard_timeout(options.common, "metrics");
    const Expected<std::string> text = ask(options.common);
    if (!text) return text.error();
    if (!options.common.json) return print(*text);
    Json json = begin_report("metrics");
    json.key("metrics").text(*text);
    return finish_report(json);
}

}  // namespace

Action setup_metrics(CommandLine& line) {
    auto options = std::make_shared<MetricsOptions>();
    line.text(
        "--textfile", options->textfile, "FILE",
        "Write to this file, for node_exporter, with tegu_up 1, or tegu_up 0 alone where no daemon answers");
    add_common_options(line, options->common, kControlTimeout);
    line.exclude("--textfile", "--json");
    return [options] { return run_metrics(*options); };
}

}  // namespace cli
}  // namespace tegu
