// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/session.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/signals.h"

namespace tegu {
namespace cli {
namespace {

constexpr double kGraceSeconds = 1;
constexpr std::uint32_t kReconnectMs = 10000;

std::string sentence_of(const char* operation, const Error& error) {
    std::string text = std::string("tegu") + (*operation != '\0' ? " " : "") + operation + ": ";
    text += error.message.empty() ? word_of(error) : error.message;
    if (!error.allowed.empty()) text += " (allowed: " + error.allowed + ")";
    if (error.retry_after_ns != 0)
        text += "; retry in " + duration_text(static_cast<double>(error.retry_after_ns));
    return text + "\n";
}

}  // namespace

void add_common_options(CommandLine& line, CommonOptions& options, double default_timeout) {
    options.timeout = default_timeout;
    line.text("--socket", options.socket, "PATH",
              "Socket of the daemon [$TEGU_SOCKET, else " TEGU_DEFAULT_SOCKET "]");
    line.seconds("--timeout", options.timeout,
                 "Give up after this long; 0: never [0 for operations, " + number_text(kControlTimeout) +
                     " for the rest]",
                 0);
    line.flag("--json", options.json, "Print one JSON object");
    line.word("--color", colour_wish().when, {"auto", "always", "never"},
              "Colours: auto, always or never; alone always [auto]");
    line.flag("--no-color,--no-colour", colour_wish().none, "No colours, as --color=never");
}

Expected<client::Client> connect(const CommonOptions& options) {
    client::Options raw;
    raw.socket_path = options.socket;
    raw.name = "tegu";
    raw.reconnect_ms = kReconnectMs;
    if (options.timeout > 0)
        raw.reconnect_ms = static_cast<std::uint32_t>(std::min<double>(kReconnectMs, options.timeout * 1000));
    return client::Client::connect(raw);
}

Error timeout_failure(const CommonOptions& options) {
    return failure(kTemporary, "no answer within " + number_text(options.timeout) + " s", "--timeout");
}

void guard_timeout(const CommonOptions& options, const char* operation) {
    if (options.timeout <= 0) return;
    const Error error = timeout_failure(options);
    arm_timeout(options.timeout + kGraceSeconds, options.json ? error_json(operation, error) : "",
                sentence_of(operation, error));
}

Expected<void> print(const std::string& text) {
    const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
    if (written != text.size() || std::fflush(stdout) != 0)
        return failure(kIoError, std::string("cannot write stdout: ") + std::strerror(errno), "stdout");
    return {};
}

Json begin_report(const char* operation) {
    Json json;
    json.begin_object().key("operation");
    if (*operation == '\0')
        json.null();
    else
        json.text(operation);
    return json;
}

Expected<void> finish_report(Json& json) {
    json.key("error").null().end_object();
    return print(json.str() + "\n");
}

std::string error_json(const char* operation, const Error& error) {
    Json json = begin_report(operation);
    json.key("error").begin_object();
    json.key("status")
        .text(word_of(error))
        .key("exit_code")
        .integer(static_cast<std::int64_t>(exit_code_of(error)));
    json.key("message").text(error.message).key("field").text(error.field).key("allowed").text(error.allowed);
    json.key("retry_after_us").number(static_cast<double>(error.retry_after_ns) / 1000);
    json.end_object().end_object();
    return json.str() + "\n";
}

int report_error(const char* operation, const Error& error, bool json) {
    if (json) {
        const Expected<void> printed = print(error_json(operation, error));
        static_cast<void>(printed);  // stderr says it too
    }
    const std::string text = sentence_of(operation, error);
    std::fwrite(text.data(), 1, text.size(), stderr);
    return exit_code_of(error);
}

}  // namespace cli
}  // namespace tegu
