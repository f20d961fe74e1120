// SPDX-License-Identifier: Apache-2.0
// What the daemon tells the service manager, over a ManagerSocket. Without a manager ($NOTIFY_SOCKET is not
// set) nothing happens. Nothing ever waits: what must arrive and does not go now is sent later, in order;
// what only says how things stand is left out, for the next one says it better. Io thread, or before it runs.
#pragma once

#include <cstdint>
#include <string>

namespace tegu::daemon {

// Reads $NOTIFY_SOCKET; one that cannot be used is logged once, and there is no service manager then.
void notify_start();
bool has_service_manager();

void notify_warming_up(std::uint64_t more_us,
                       const std::string& status);  // starting takes so much longer than until now
void notify_ready(const std::string& status);
void notify_status(const std::string& status);
void notify_reloading();                      // must be followed by notify_ready
void notify_stopping(std::uint64_t stop_ms);  // asks for so much time to stop in
void notify_failed(int os_code, const std::string& status);
bool notify_alive();    // of the watchdog; false if it did not go
void notify_hanging();  // this process is to be killed and started anew; systemd before 243 ignores it

// Sends what did not go before. To be called now and then.
void notify_again();

}  // namespace tegu::daemon
