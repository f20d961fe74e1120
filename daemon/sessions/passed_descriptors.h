// SPDX-License-Identifier: Apache-2.0
// The descriptors that a service manager passes: $LISTEN_PID, $LISTEN_FDS and $LISTEN_FDNAMES, as
// sd_listen_fds_with_names(3) has them. Read here, because that function gives up all of them where one is
// not open or a number is none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"

namespace tegu::daemon {

struct PassedFd {
    std::string name;
    Fd fd;
};

// What the three variables (null: not set) say for the process `own_pid`: a name for each descriptor from the
// first on. Pure.
struct PassedNames {
    std::vector<std::string> names;
    std::string problem;  // why less is taken than was said; empty: all is well
};
PassedNames passed_names(const char* pid, const char* fds, const char* names, std::int64_t own_pid);

// Those that were passed, which nobody else inherits from now on. Clears the variables; what is wrong with
// them is logged. REQUIRES: what the process has opened itself is closed on exec.
std::vector<PassedFd> take_passed_descriptors();

}  // namespace tegu::daemon
