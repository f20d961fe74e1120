// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP end a run in order: the current measurement is dropped, files are written. A
// second signal ends the process at once.
#pragma once

#include <atomic>

namespace tegu::tune {

// Installs the handlers when it is first called. Any thread.
const std::atomic<bool>& interrupts();

}  // namespace tegu::tune
