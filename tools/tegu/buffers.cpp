// SPDX-License-Identifier: Apache-2.0
// tegu buffers: lists the buffers of this user's programs in the daemon.
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {
namespace {

const char* access_word(const tegu_buffer_info& buffer) {
    if (buffer.frozen != 0) return "frozen";
    return buffer.access == TEGU_ACCESS_READ_WRITE ? "read-write" : "read";
}

const char* origin_word(const tegu_buffer_info& buffer) {
    return buffer.created_by_daemon != 0 ? "daemon" : "client";
}

Expected<void> report_json(const std::vector<tegu_buffer_info>& buffers) {
    Json json = begin_report("buffers");
    json.key("buffers").begin_array();
    for (const tegu_buffer_info& buffer : buffers) {
        json.begin_object().key("handle").integer(buffer.handle).key("session").integer(buffer.session);
        json.key("pid").integer(std::uint64_t{buffer.pid}).key("bytes").integer(buffer.bytes);
        json.key("access").text(buffer.access == TEGU_ACCESS_READ_WRITE ? "read-write" : "read");
        json.key("frozen").boolean(buffer.frozen != 0).key("made_by").text(origin_word(buffer));
        json.key("jobs_total")
            .integer(buffer.jobs_total)
            .key("generation")
            .integer(buffer.generation)
            .end_object();
    }
    json.end_array();
    return finish_report(json);
}

Expected<void> run_buffers(const CommonOptions& options) {
    guard_timeout(options, "buffers");
    Expected<client::Client> client = connect(options);
    if (!client) return client.error();
    Expected<std::vector<tegu_buffer_info>> buffers = client->buffers();
    if (!buffers) return buffers.error();
    if (options.json) return report_json(*buffers);
    Table table("rrrrllrr");
    table.heading({"session", "handle", "pid", "size", "access", "made by", "jobs", "generation"});
    std::uint64_t total = 0;
    for (const tegu_buffer_info& buffer : *buffers) {
        total += buffer.bytes;
        table.row({std::to_string(buffer.session), std::to_string(buffer.handle), std::to_string(buffer.pid),
                   bytes_text(buffer.bytes), access_word(buffer), origin_word(buffer),
                   std::to_string(buffer.jobs_total), std::to_string(buffer.generation)});
    }
    const std::string sum = std::to_string(buffers->size()) +
                            (buffers->size() == 1 ? " buffer, " : " buffers, ") + bytes_text(total) + "\n";
    return print(buffers->empty() ? sum : table.text(stdout_has_colour()) + sum);
}

}  // namespace

Action setup_buffers(CommandLine& line) {
    auto options = std::make_shared<CommonOptions>();
    add_common_options(line, *options, kControlTimeout);
    return [options] { return run_buffers(*options); };
}

}  // namespace cli
}  // namespace tegu
