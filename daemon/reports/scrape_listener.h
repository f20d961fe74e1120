// SPDX-License-Identifier: Apache-2.0
// Creates the socket for metric scrapes if no socket unit passes one: a Unix socket, or TCP on a numeric
// address.
#pragma once

#include <string>

#include "base/result.h"
#include "config/settings.h"
#include "daemon/sessions/listener.h"

namespace tegu::daemon {

// Listens on settings.listen. Errors: those of bind_listener, Unavailable (the address is in use), Denied,
// Io; the message names the setting.
// REQUIRES: settings.listen is not empty; no other thread runs yet.
Result<Listener> bind_scrape_listener(const config::Settings::Metrics& settings);

// The address of a listening socket: "/run/tegud/metrics.sock", "127.0.0.1:9469", "[::1]:9469"; "?" if
// unknown.
std::string listening_address(int fd);

}  // namespace tegu::daemon
