// SPDX-License-Identifier: Apache-2.0
// StopState: how far the end of the daemon has come. Io thread.
#pragma once

#include <optional>

#include "base/result.h"

namespace tegu::daemon {

struct StopState {
    bool stopping = false;        // a signal came: no new connections and jobs
    std::optional<Error> failed;  // what ends the daemon at once

    // What clients leave now is for the next daemon.
    bool ending() const { return stopping || failed.has_value(); }
};

}  // namespace tegu::daemon
