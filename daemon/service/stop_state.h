// SPDX-License-Identifier: Apache-2.0
// StopState: progress of the daemon's shutdown. Io thread.
#pragma once

#include <optional>

#include "base/result.h"

namespace tegu::daemon {

struct StopState {
    bool stopping = false;        // after a stop signal: no new connections or jobs
    std::optional<Error> failed;  // a fatal error

    // Whether buffers of clients are left to the next daemon.
    bool ending() const { return stopping || failed.has_value(); }
};

}  // namespace tegu::daemon
