// SPDX-License-Identifier: Apache-2.0
// The whole run of the daemon: options, settings, log, socket, server. main() only calls run_daemon().
#pragma once

namespace tegu::daemon {

// Returns the exit code, of sysexits(3).
int run_daemon(int argc, const char* const* argv);

}  // namespace tegu::daemon
