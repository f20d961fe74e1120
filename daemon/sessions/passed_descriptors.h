// SPDX-License-Identifier: Apache-2.0
// Takes the descriptors of a service manager: $LISTEN_PID, $LISTEN_FDS and $LISTEN_FDNAMES, as in
// sd_listen_fds_with_names(3). That function is not used, because it drops all descriptors if one is closed
// or a number is invalid.
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

// Parses the three variables (null: not set) for the process `own_pid`: a name for each descriptor, in order.
// Pure.
struct PassedNames {
    std::vector<std::string> names;
    std::string problem;  // why fewer are taken than announced; empty: none is missing
};
PassedNames passed_names(const char* pid, const char* fds, const char* names, std::int64_t own_pid);

// Takes the passed descriptors and sets close-on-exec. Clears the variables and logs errors in them.
// REQUIRES: all other descriptors of the process are close-on-exec.
std::vector<PassedFd> take_passed_descriptors();

}  // namespace tegu::daemon
