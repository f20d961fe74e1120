// SPDX-License-Identifier: Apache-2.0
// The daemon from start to end: options, settings, log, socket, server. main() is this one call.
#pragma once

namespace tegu::daemon {

// Returns the exit code, of sysexits(3).
int run_daemon(int argc, const char* const* argv);

}  // namespace tegu::daemon
