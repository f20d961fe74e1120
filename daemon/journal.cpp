// SPDX-License-Identifier: Apache-2.0
#include "daemon/journal.h"

#define SD_JOURNAL_SUPPRESS_LOCATION  // the place of the sink in the source is of no use to anybody
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/log.h"

namespace tegu::daemon {
namespace {

void send_to_journal(LogLevel level, std::string_view message, const LogField* fields, std::size_t count) {
    std::vector<std::string> entries;
    entries.reserve(count + 3);
    entries.push_back("MESSAGE=" + std::string(message));
    entries.push_back("PRIORITY=" + std::to_string(static_cast<int>(level)));
    entries.push_back("SYSLOG_IDENTIFIER=tegud");
    for (std::size_t i = 0; i < count; ++i)
        entries.push_back("TEGUD_" + std::string(fields[i].first) + "=" + fields[i].second);
    std::vector<iovec> parts;
    parts.reserve(entries.size());
    for (std::string& entry : entries) parts.push_back({&entry[0], entry.size()});
    (void)::sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
}

// "<3>message [STATUS=IO]": the number is the priority, as journald reads it from a stream.
void send_line(LogLevel level, std::string_view message, const LogField* fields, std::size_t count) {
    std::string line = "<" + std::to_string(static_cast<int>(level)) + ">" + std::string(message);
    for (std::size_t i = 0; i < count; ++i)
        line += (i == 0 ? " [" : " ") + std::string(fields[i].first) + "=" + fields[i].second;
    line += count > 0 ? "]\n" : "\n";
    (void)!::write(STDERR_FILENO, line.data(), line.size());
}

bool in_journal = false;

}  // namespace

bool log_to_journal() {
    const char* stream = std::getenv("JOURNAL_STREAM");
    struct stat status;
    unsigned long long device = 0, inode = 0;
    if (stream == nullptr || std::sscanf(stream, "%llu:%llu", &device, &inode) != 2) return false;
    if (::fstat(STDERR_FILENO, &status) != 0 || status.st_dev != device || status.st_ino != inode) return false;
    set_log_sink(&send_to_journal);
    in_journal = true;
    return true;
}

void log_to_journal_as_lines() {
    if (in_journal) set_log_sink(&send_line);
}

}  // namespace tegu::daemon
