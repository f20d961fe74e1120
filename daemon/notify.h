// SPDX-License-Identifier: Apache-2.0
// What the daemon tells the service manager. Without one ($NOTIFY_SOCKET is not set) nothing happens.
#pragma once

#include <cstdint>
#include <string>

namespace tegu::daemon {

bool has_service_manager();
void notify_ready(const std::string& status);
void notify_reloading();                      // must be followed by notify_ready
void notify_stopping(std::uint64_t stop_ms);  // asks for so much time to stop in
void notify_failed(int os_code, const std::string& status);

}  // namespace tegu::daemon
