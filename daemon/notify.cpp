// SPDX-License-Identifier: Apache-2.0
#include "daemon/notify.h"

#include <systemd/sd-daemon.h>

#include <cstdlib>
#include <ctime>

namespace tegu::daemon {
namespace {

void send(const std::string& state) {
    (void)::sd_notify(0, state.c_str());
}

std::uint64_t monotonic_us() {
    timespec now{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

}  // namespace

bool has_service_manager() {
    return std::getenv("NOTIFY_SOCKET") != nullptr;
}

void notify_ready(const std::string& status) {
    send("READY=1\nSTATUS=" + status);
}

void notify_reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_us()) + "\nSTATUS=reading the settings again");
}

void notify_stopping(std::uint64_t stop_ms) {
    send("STOPPING=1\nEXTEND_TIMEOUT_USEC=" + std::to_string((stop_ms + 5000) * 1000) +
         "\nSTATUS=finishing the jobs in flight");
}

void notify_failed(int os_code, const std::string& status) {
    send("STATUS=" + status + (os_code > 0 ? "\nERRNO=" + std::to_string(os_code) : ""));
}

}  // namespace tegu::daemon
