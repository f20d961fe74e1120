// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <unistd.h>

#include <atomic>

namespace tegu {
namespace {

std::atomic<int> g_level{static_cast<int>(LogLevel::Info)};
std::atomic<LogSink> g_sink{nullptr};

std::string printable(std::string_view text) {
    std::string line(text);
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return line;
}

// One write(2) per line, so that lines of several threads do not mix.
void write_line(LogLevel level, std::string_view message, const LogField* fields, std::size_t count) {
    std::string line = "tegud: ";
    line += log_level_word(level);
    line += ": ";
    line += message;
    bool first = true;
    for (std::size_t i = 0; i < count; ++i) {
        if (fields[i].first == kMessageIdField) continue;
        line += std::exchange(first, false) ? " [" : " ";
        line += fields[i].first;
        line += '=';
        line += fields[i].second;
    }
    if (!first) line += ']';
    line += '\n';
    (void)!::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

std::string_view log_level_word(LogLevel level) {
    switch (level) {
        case LogLevel::Error: return "error";
        case LogLevel::Warning: return "warning";
        case LogLevel::Notice: return "notice";
        case LogLevel::Info: return "info";
        case LogLevel::Debug: return "debug";
    }
    return "?";
}

void set_log_sink(LogSink sink) {
    g_sink.store(sink);
}

void set_log_level(LogLevel level) {
    g_level.store(static_cast<int>(level));
}

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
    if (static_cast<int>(level) > g_level.load(std::memory_order_relaxed)) return;
    constexpr std::size_t kMaxFields = 16;
    LogField clean[kMaxFields];
    std::size_t count = 0;
    for (const LogField& field : fields) {
        if (count == kMaxFields) break;
        clean[count++] = {field.first, printable(field.second)};
    }
    const LogSink sink = g_sink.load();
    (sink != nullptr ? sink : write_line)(level, printable(message), clean, count);
}

}  // namespace tegu
