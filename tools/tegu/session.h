// SPDX-License-Identifier: Apache-2.0
// Shared by all subcommands: the common options, the connection, and the output of results and errors. Data
// goes to stdout, messages to stderr; with --json stdout has one JSON object, errors included.
#pragma once

#include <cstdint>
#include <string>

#include "tools/tegu/command_line.h"
#include "tools/tegu/failure.h"
#include "tools/tegu/output/json.h"

namespace tegu {
namespace cli {

// Timeout in seconds of all commands but operations, which have no limit unless one is set.
constexpr double kControlTimeout = 5;

struct CommonOptions {
    std::string socket;  // empty: $TEGU_SOCKET, else the default
    double timeout = 0;  // seconds; 0: none
    bool json = false;
};

// Adds --socket, --timeout, --json and --color. `options` outlives the parsing.
void add_common_options(CommandLine& line, CommonOptions& options, double default_timeout);

Expected<client::Client> connect(const CommonOptions& options);

// The message of a command after its timeout.
Error timeout_failure(const CommonOptions& options);

// Makes sure that the process ends within the timeout, plus a second of grace for errors that say more.
void guard_timeout(const CommonOptions& options, const char* operation);

// Writes to stdout and flushes. Errors: kIoError.
Expected<void> print(const std::string& text);

// {"operation": ..., then what the command adds, then finish(): "error": null}
Json begin_report(const char* operation);
Expected<void> finish_report(Json& json);

// "tegu histogram: bins is 0 (allowed: 1..1048576)" on stderr, and the object on stdout if `json`. Returns
// the exit code.
int report_error(const char* operation, const Error& error, bool json);
// The object that report_error prints.
std::string error_json(const char* operation, const Error& error);

}  // namespace cli
}  // namespace tegu
