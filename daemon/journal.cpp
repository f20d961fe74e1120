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

}  // namespace

bool log_to_journal() {
    const char* stream = std::getenv("JOURNAL_STREAM");
    struct stat status;
    unsigned long long device = 0, inode = 0;
    if (stream == nullptr || std::sscanf(stream, "%llu:%llu", &device, &inode) != 2) return false;
    if (::fstat(STDERR_FILENO, &status) != 0 || status.st_dev != device || status.st_ino != inode) return false;
    set_log_sink(&send_to_journal);
    return true;
}

}  // namespace tegu::daemon
