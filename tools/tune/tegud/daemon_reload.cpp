// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tegud/daemon_reload.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "tools/tune/tegud/tegud_process.h"

namespace tegu::tune {
namespace {

constexpr std::chrono::seconds kReloadTime(20);

Error error_of(const client::Error& error) {
    return field_error(static_cast<Status>(error.status), error.field, error.allowed, error.message);
}

// Whether systemctl succeeded.
bool systemctl_reload() {
    char program[] = "systemctl", command[] = "reload", unit[] = "tegud.service";
    char* const arguments[] = {program, command, unit, nullptr};
    pid_t child = 0;
    if (::posix_spawnp(&child, program, nullptr, nullptr, arguments, ::environ) != 0) return false;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Result<Daemon> Daemon::find(const std::string& socket, const std::string& sysroot) {
    client::Expected<client::Client> connected = connect_tegud(socket, sysroot);
    if (!connected) return error_of(connected.error());
    Daemon daemon(std::move(*connected));
    const auto info = daemon.client_.info();
    if (!info) return error_of(info.error());
    daemon.pid_ = number_in(*info, "pid");
    daemon.has_systemd_ = text_in(*info, "service_manager") == "systemd";
    daemon.overlay_ = text_in(*info, "tuning_overlay");
    daemon.sysroot_ = sysroot;
    return Result<Daemon>(std::move(daemon));
}

// The times that it has read its tables, which it does once it has read its settings.
Result<std::uint64_t> Daemon::loads() {
    const auto info = client_.info();
    if (!info) return error_of(info.error());
    return number_in(*info, "tuning_loads_total");
}

// The daemon reports its own pid, so the process's name is checked before a signal is sent.
Result<void> Daemon::signal() const {
    if (process_name(sysroot_, pid_).find("tegud") == std::string::npos)
        return make_error(Status::NotFound,
                          "process " + std::to_string(pid_) + " is no tegud of this machine");
    if (::kill(static_cast<pid_t>(pid_), SIGHUP) == 0) return {};
    if (errno == EPERM)
        return make_error(Status::Denied,
                          "only root may send " + name() + " a signal: run systemctl reload tegud as root");
    return io_error("kill " + std::to_string(pid_), errno);
}

Result<void> Daemon::reload() {
    const Result<std::uint64_t> before = loads();
    if (!before) return before.error();
    if (!has_systemd_ || !systemctl_reload()) {
        Result<void> sent = signal();
        if (!sent) return sent;
    }
    const auto until = std::chrono::steady_clock::now() + kReloadTime;
    while (std::chrono::steady_clock::now() < until) {
        const Result<std::uint64_t> now = loads();
        if (!now) return now.error();
        if (*now > *before) return {};
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return make_error(Status::DeadlineExceeded, name() + " did not read its tables again");
}

}  // namespace tegu::tune
