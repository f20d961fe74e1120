// SPDX-License-Identifier: Apache-2.0
#include "daemon/service/notify.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <optional>

#include "base/log.h"
#include "daemon/service/events.h"
#include "daemon/service/manager_socket.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kMaxUnsent = 16;
constexpr std::size_t kMaxStatusBytes = 1024;  // systemd accepts messages up to 4 KiB

struct Manager {
    std::optional<ManagerSocket> socket;
    std::deque<std::string> unsent;
    bool complained = false;
};
Manager manager;

using Sent = ManagerSocket::Sent;

void complain(const std::string& message) {
    if (std::exchange(manager.complained, true)) return;
    log(LogLevel::Warning, message, {{events::kMessageId, events::kEnvironment}});
}

Sent send_now(const std::string& state) {
    const Sent sent = manager.socket->send(state, -1);
    if (sent == Sent::Never)
        complain("the service manager cannot be told through $NOTIFY_SOCKET: " +
                 std::string(std::strerror(errno)));
    if (sent == Sent::Later)
        complain("the service manager does not read what it is told through $NOTIFY_SOCKET");
    return sent;
}

// Sends an optional message, only if no essential message is pending.
bool send_or_drop(const std::string& state) {
    notify_again();
    return has_service_manager() && manager.unsent.empty() && send_now(state) == Sent::Yes;
}

void send(std::string state) {
    if (send_or_drop(state) || !has_service_manager()) return;
    if (manager.unsent.size() == kMaxUnsent) manager.unsent.pop_front();
    manager.unsent.push_back(std::move(state));
}

// Replaces line breaks, because the format has one line per value.
std::string status_field(const std::string& status) {
    std::string line = status.substr(0, kMaxStatusBytes);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return "STATUS=" + line;
}

std::uint64_t monotonic_us() {
    timespec now{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

}  // namespace

void notify_start() {
    manager = Manager();
    const char* name = std::getenv("NOTIFY_SOCKET");
    if (name == nullptr) return;
    Result<ManagerSocket> socket = ManagerSocket::open(name);
    if (!socket)
        return complain("$NOTIFY_SOCKET is ignored: " + (socket.error().allowed.empty()
                                                             ? socket.error().message
                                                             : socket.error().allowed + " is needed"));
    manager.socket = std::move(*socket);
}

bool has_service_manager() {
    return manager.socket.has_value();
}

void notify_again() {
    while (!manager.unsent.empty() && send_now(manager.unsent.front()) != Sent::Later)
        manager.unsent.pop_front();
}

void notify_warming_up(std::uint64_t more_us, const std::string& status) {
    (void)send_or_drop("EXTEND_TIMEOUT_USEC=" + std::to_string(more_us) + "\n" + status_field(status));
}

void notify_ready(const std::string& status) {
    send("READY=1\n" + status_field(status));
}

void notify_status(const std::string& status) {
    (void)send_or_drop(status_field(status));
}

void notify_reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_us()) +
         "\nSTATUS=reading the settings again");
}

void notify_stopping(std::uint64_t stop_ms) {
    send("STOPPING=1\nEXTEND_TIMEOUT_USEC=" + std::to_string((stop_ms + 5000) * 1000) +
         "\nSTATUS=finishing the jobs in flight");
}

void notify_failed(int os_code, const std::string& status) {
    send((os_code > 0 ? "ERRNO=" + std::to_string(os_code) + "\n" : "") + status_field(status));
}

bool notify_alive() {
    return send_or_drop("WATCHDOG=1");
}

void notify_hanging() {
    (void)send_or_drop("WATCHDOG=trigger");
}

}  // namespace tegu::daemon
