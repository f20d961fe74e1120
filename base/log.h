// SPDX-License-Identifier: Apache-2.0
// The log of the daemon: lines on stderr, or a sink that main installs (the journal with fields, under
// systemd). Only daemon/ logs; a healthy daemon logs one line at start and one at stop. Any thread.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace tegu {

enum class LogLevel : int { Error = 3, Warning = 4, Notice = 5, Info = 6, Debug = 7 };  // syslog priorities

std::string_view log_level_word(LogLevel level);  // "warning"

// An extra journal field, e.g. {"CLIENT_UID", "1000"}; the journal shows it as TEGUD_CLIENT_UID. Names:
// [A-Z0-9_]+.
using LogField = std::pair<std::string_view, std::string>;
// The field for the kind of a message, as defined by the journal; lines on stderr omit it.
inline constexpr std::string_view kMessageIdField = "MESSAGE_ID";

using LogSink = void (*)(LogLevel level, std::string_view message, const LogField* fields, std::size_t count);

// Replaces the sink; null restores the lines on stderr. Call before other threads log.
void set_log_sink(LogSink sink);

// Messages below `level` are dropped. Default: Info.
void set_log_level(LogLevel level);

// Writes one line. Control characters in `message` and in values are replaced, so that no client text can
// forge a line.
void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

}  // namespace tegu
