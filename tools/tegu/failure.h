// SPDX-License-Identifier: Apache-2.0
// Failures of the command itself, as the client library's Error, so that one Expected<T> serves both. The
// daemon's statuses map to exit codes; a local failure (usage, a file) has minus its sysexits(3) code as
// status.
#pragma once

#include <string>
#include <utility>

#include "client/tegu.hpp"

namespace tegu {
namespace cli {

using client::Error;
using client::Expected;

enum ExitCode : int {
    kUsage = 64,         // EX_USAGE: the command line
    kDataError = 65,     // EX_DATAERR: the input is not what it should be
    kNoInput = 66,       // EX_NOINPUT: the input cannot be read
    kCannotCreate = 73,  // EX_CANTCREAT: the output cannot be created
    kIoError = 74,       // EX_IOERR: writing the output failed
    kTemporary = 75,     // EX_TEMPFAIL: out of time
};

inline Error failure(ExitCode code, std::string message, std::string field = {}, std::string allowed = {}) {
    return Error{-static_cast<int>(code), 0, std::move(field), std::move(allowed), std::move(message)};
}
// A word or number of the command line that cannot be read: "--window: 'x' is not a size (allowed: 5 or
// 5x7)".
inline Error usage_error(const std::string& option, const std::string& found, const std::string& allowed) {
    return failure(kUsage, option + ": cannot use '" + found + "'", option, allowed);
}

inline int exit_code_of(const Error& error) {
    return error.status < 0 ? -error.status : error.exit_code();
}

// "BAD_RANGE" of the daemon's list, or "USAGE", "NO_INPUT", ... of ours.
inline const char* word_of(const Error& error) {
    switch (error.status) {
        case -kUsage: return "USAGE";
        case -kDataError: return "BAD_DATA";
        case -kNoInput: return "NO_INPUT";
        case -kCannotCreate: return "CANNOT_CREATE";
        case -kIoError: return "OUTPUT_FAILED";
        case -kTemporary: return "TIMED_OUT";
        default: return error.word();
    }
}

}  // namespace cli
}  // namespace tegu
