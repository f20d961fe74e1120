// SPDX-License-Identifier: Apache-2.0
#include "daemon/service/journal.h"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/fd.h"
#include "daemon/service/events.h"

namespace tegu::daemon {
namespace {

constexpr char kJournalSocket[] = "/run/systemd/journal/socket";
constexpr std::size_t kMaxValueBytes = 16 * 1024;  // sixteen fit a default socket buffer
constexpr int kFinishMs = 500;
constexpr int kLookupMs = 20;  // time for the journal to identify the sender

std::atomic<int> journal{-1};  // stays open until the process ends; -1: the log is lines on stderr
std::atomic<std::uint64_t> dropped{0};

// REQUIRES: values without line breaks; log() replaces them.
void add_field(std::string& datagram, std::string_view prefix, std::string_view name,
               std::string_view value) {
    datagram.append(prefix).append(name).append("=").append(value.substr(0, kMaxValueBytes)).append("\n");
}

std::string datagram_of(LogLevel level, std::string_view message, const LogField* fields, std::size_t count) {
    std::string datagram;
    add_field(datagram, "", "MESSAGE", message);
    add_field(datagram, "", "PRIORITY", std::to_string(static_cast<int>(level)));
    add_field(datagram, "", "SYSLOG_IDENTIFIER", "tegud");
    for (std::size_t i = 0; i < count; ++i)
        add_field(datagram, fields[i].first == events::kMessageId ? "" : "TEGUD_", fields[i].first,
                  fields[i].second);
    return datagram;
}

// Sends to the name each time, because journald may have replaced its socket.
bool send_datagram(const char* data, std::size_t bytes) noexcept {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, kJournalSocket, sizeof kJournalSocket);
    ssize_t sent;
    do {
        sent = ::sendto(journal.load(), data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
                        reinterpret_cast<const sockaddr*>(&address), sizeof address);
    } while (sent < 0 && errno == EINTR);
    return sent >= 0;
}

void send_to_journal(LogLevel level, std::string_view message, const LogField* fields, std::size_t count) {
    const std::string datagram = datagram_of(level, message, fields, count);
    if (!send_datagram(datagram.data(), datagram.size())) {
        ++dropped;
        return;
    }
    const std::uint64_t lost = dropped.exchange(0);
    if (lost == 0) return;
    const std::string note = datagram_of(
        LogLevel::Warning,
        std::to_string(lost) + " messages before this one were dropped: the journal did not take them",
        nullptr, 0);
    if (!send_datagram(note.data(), note.size())) dropped += lost;
}

bool stderr_is_journal() {
    const char* stream = std::getenv("JOURNAL_STREAM");
    struct stat status;
    unsigned long long device = 0, inode = 0;
    if (stream == nullptr || std::sscanf(stream, "%llu:%llu", &device, &inode) != 2) return false;
    return ::fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

}  // namespace

bool log_to_journal() {
    if (!stderr_is_journal()) return false;
    Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd || ::access(kJournalSocket, F_OK) != 0) return false;
    journal = fd.release();
    set_log_sink(&send_to_journal);
    return true;
}

void finish_journal() {
    if (journal.load() < 0) return;
    int unread = 0;
    for (int waited = 0; waited < kFinishMs; ++waited) {
        if (::ioctl(journal.load(), SIOCOUTQ, &unread) != 0 || unread == 0) break;
        (void)::poll(nullptr, 0, 1);
    }
    (void)::poll(nullptr, 0, kLookupMs);
}

void log_from_signal(const char* message_id, const char* text) noexcept {
    char datagram[1024];
    std::size_t bytes = 0;
    const auto add = [&](const char* part) {
        const std::size_t length = std::min(std::strlen(part), sizeof datagram - bytes);
        std::memcpy(datagram + bytes, part, length);
        bytes += length;
    };
    if (journal.load() < 0) {
        add("tegud: error: ");
        add(text);
        add("\n");
        (void)!::write(STDERR_FILENO, datagram, bytes);
        return;
    }
    add("MESSAGE=");
    add(text);
    add("\nPRIORITY=3\nSYSLOG_IDENTIFIER=tegud\n");
    if (message_id != nullptr) {
        add("MESSAGE_ID=");
        add(message_id);
        add("\n");
    }
    (void)send_datagram(datagram, bytes);
    finish_journal();
}

}  // namespace tegu::daemon
