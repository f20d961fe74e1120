// SPDX-License-Identifier: Apache-2.0
// Messages to the service manager over a ManagerSocket; no effect without $NOTIFY_SOCKET. Never blocks:
// essential messages that fail are sent later in order, status messages are dropped. Io thread, or before it
// runs.
#pragma once

#include <cstdint>
#include <string>

namespace tegu::daemon {

// Reads $NOTIFY_SOCKET. An unusable one is logged once and then counts as no service manager.
void notify_start();
bool has_service_manager();

void notify_warming_up(std::uint64_t more_us,
                       const std::string& status);  // requests this much more start time
void notify_ready(const std::string& status);
void notify_status(const std::string& status);
void notify_reloading();                      // must be followed by notify_ready
void notify_stopping(std::uint64_t stop_ms);  // requests this much time to stop
void notify_failed(int os_code, const std::string& status);
bool notify_alive();    // keep-alive of the watchdog; false if not sent
void notify_hanging();  // requests a kill and restart of this process; systemd before 243 ignores it

// Retries unsent messages. Call periodically.
void notify_again();

}  // namespace tegu::daemon
