// SPDX-License-Identifier: Apache-2.0
// tegu-bench run: measures this board and writes one file.
#pragma once

#include <string>

namespace tegu::field {

// argv[0] is "run". `program`: this executable; `tegud`: the daemon to start where nothing else is asked for.
// Returns an exit code of sysexits(3); 130 where it was interrupted.
int run_command(int argc, const char* const* argv, const std::string& program, const std::string& tegud);

}  // namespace tegu::field
